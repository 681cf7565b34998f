"""Where more than one answer is right, that of the backend of NetworkX is one of them."""

import itertools
import random

import pytest

nx = pytest.importorskip("networkx")
if "pleach" not in nx.utils.backends.backends:
    # The backend is found by what an installed package says of itself.
    pytest.skip("the package is not installed", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore:Note. conversions to backend graphs:UserWarning")


def weighted(graph, seed=5):
    drawn = random.Random(seed)
    for _, _, data in graph.edges(data=True):
        data["weight"] = drawn.choice([0, 1, 1, 2, 2.5, 7])
    return graph


GRAPHS = {
    "karate": nx.karate_club_graph,
    "random": lambda: weighted(nx.gnp_random_graph(70, 0.07, seed=2)),
    "parts": lambda: weighted(nx.disjoint_union(nx.gnp_random_graph(30, 0.1, seed=3), nx.path_graph(4))),
    "names": lambda: nx.relabel_nodes(weighted(nx.les_miserables_graph()), lambda name: (name, 1)),
    "empty": lambda: nx.empty_graph(3),
}
each_graph = pytest.mark.parametrize("name", GRAPHS)


def left(function, *args, **kwargs):
    with pytest.raises(NotImplementedError):
        found = function(*args, **kwargs, backend="pleach")
        list(found)


@each_graph
def test_colours(name):
    graph = GRAPHS[name]()
    colors = nx.greedy_color(graph, backend="pleach")
    assert list(colors) == list(graph) and all(colors[u] != colors[v] for u, v in graph.edges)
    # As greedy as any order: a node has the smallest colour that its neighbours of smaller colours leave.
    for node, color in colors.items():
        assert set(range(color)) <= {colors[other] for other in graph[node]}
    left(nx.greedy_color, graph, strategy="DSATUR")
    left(nx.greedy_color, graph, interchange=True)


@each_graph
def test_independent_sets(name):
    graph = GRAPHS[name]()
    found = set(nx.maximal_independent_set(graph, backend="pleach"))
    assert not any(u in found and v in found for u, v in graph.edges)
    assert all(node in found or found & set(graph[node]) for node in graph)
    left(nx.maximal_independent_set, graph, seed=1)
    left(nx.maximal_independent_set, graph, [next(iter(graph))])


def test_the_same_seed_of_random_gives_the_same():
    graph = nx.gnp_random_graph(200, 0.02, seed=1)
    for function in (nx.maximal_independent_set, nx.community.louvain_communities):
        found = [(random.seed(7), function(graph, backend="pleach"))[1] for _ in range(2)]
        assert found[0] == found[1]


@each_graph
@pytest.mark.parametrize("weight", ["weight", None])
def test_communities(name, weight):
    graph = GRAPHS[name]()
    random.seed(1)
    quality = lambda found: max(nx.community.modularity(graph, each, weight=weight) for each in found)  # noqa: E731
    theirs = [nx.community.louvain_communities(graph, weight=weight, seed=seed) for seed in range(5)]
    for function in (nx.community.louvain_communities, nx.community.leiden_communities):
        ours = [function(graph, weight=weight, backend="pleach") for _ in range(5)]
        assert all(nx.community.is_partition(graph, each) for each in ours)
        if graph.number_of_edges():
            assert quality(ours) >= quality(theirs) - 0.01
    left(nx.community.louvain_communities, graph, seed=1)
    left(nx.community.louvain_communities, graph.to_directed())


@each_graph
def test_levels_of_communities(name):
    graph = GRAPHS[name]()
    for function in (nx.community.louvain_partitions, nx.community.leiden_partitions):
        levels = list(function(graph, backend="pleach"))
        assert levels and all(nx.community.is_partition(graph, level) for level in levels)
        if graph.number_of_edges():
            quality = [nx.community.modularity(graph, level) for level in levels]
            assert quality == sorted(quality)
    random.seed(4)
    first = nx.community.louvain_communities(graph, max_level=1, backend="pleach")
    random.seed(4)
    assert first == next(nx.community.louvain_partitions(graph, backend="pleach"))


@each_graph
@pytest.mark.parametrize("algorithm", ["kruskal", "prim", "boruvka"])
def test_spanning_forests(name, algorithm):
    graph = GRAPHS[name]()
    for edges, tree in (
        (nx.minimum_spanning_edges, nx.minimum_spanning_tree),
        (nx.maximum_spanning_edges, nx.maximum_spanning_tree),
    ):
        theirs = list(edges(graph, algorithm=algorithm))
        ours = list(edges(graph, algorithm=algorithm, backend="pleach"))
        assert all(data is graph[u][v] for u, v, data in ours)
        forest = nx.Graph([(u, v) for u, v, _ in ours])
        assert len(ours) == len(theirs) and (not ours or nx.is_forest(forest))
        weigh = lambda found: sum(data.get("weight", 1) for *_, data in found)  # noqa: E731
        assert weigh(ours) == pytest.approx(weigh(theirs))
        whole = tree(graph, algorithm=algorithm, backend="pleach")
        assert dict(whole.nodes(data=True)) == dict(graph.nodes(data=True))
        assert set(map(frozenset, whole.edges)) == {frozenset((u, v)) for u, v, _ in ours}
        assert list(edges(graph, data=False, backend="pleach")) == [(u, v) for u, v, _ in ours]
    broken = nx.Graph([(0, 1, {"weight": float("nan")})])
    left(nx.minimum_spanning_edges, broken)


def test_topological_orders():
    graph = nx.DiGraph((u, v) for u, v in nx.gnp_random_graph(60, 0.08, seed=6).edges)
    graph.add_node("alone")
    order = list(nx.topological_sort(graph, backend="pleach"))
    place = {node: at for at, node in enumerate(order)}
    assert set(order) == set(graph) and all(place[u] < place[v] for u, v in graph.edges)
    theirs, ours = (list(map(set, nx.topological_generations(graph, backend=backend))) for backend in ("networkx", "pleach"))
    assert ours == theirs
    assert not nx.algorithms.dag.has_cycle(graph, backend="pleach")
    graph.add_edge(order[5], order[5])
    assert nx.algorithms.dag.has_cycle(graph, backend="pleach")
    for function in (nx.topological_sort, nx.topological_generations):
        with pytest.raises(nx.NetworkXUnfeasible):
            list(function(graph, backend="pleach"))
        left(function, nx.path_graph(3))


@each_graph
@pytest.mark.parametrize("weight", ["weight", None])
def test_paths(name, weight):
    graph = GRAPHS[name]()
    source, *_, target = graph
    length = lambda path: sum(graph[u][v].get(weight, 1) for u, v in itertools.pairwise(path))  # noqa: E731

    def check(paths, lengths):
        assert paths.keys() == lengths.keys() and paths[source] == [source]
        for node, path in paths.items():
            assert path[0] == source and path[-1] == node and length(path) == pytest.approx(lengths[node])

    for cutoff in (None, 2):
        options = {"cutoff": cutoff, "weight": weight}
        theirs = nx.single_source_dijkstra_path_length(graph, source, **options)
        lengths, paths = nx.single_source_dijkstra(graph, source, **options, backend="pleach")
        assert lengths == pytest.approx(theirs) and list(lengths.values()) == sorted(lengths.values())
        check(paths, theirs)
        check(nx.single_source_dijkstra_path(graph, source, **options, backend="pleach"), theirs)
        both = dict(nx.all_pairs_dijkstra(graph, **options, backend="pleach"))
        assert list(both) == list(graph) and both[source][0] == lengths
        assert dict(nx.all_pairs_dijkstra_path_length(graph, **options, backend="pleach"))[source] == lengths
        assert dict(nx.all_pairs_dijkstra_path(graph, **options, backend="pleach"))[source] == paths
        if weight is None:
            check(nx.single_source_shortest_path(graph, source, cutoff=cutoff, backend="pleach"), theirs)
            check(dict(nx.all_pairs_shortest_path(graph, cutoff=cutoff, backend="pleach"))[source], theirs)
    reached = nx.single_source_dijkstra_path_length(graph, source, weight=weight)
    one_to_one = [nx.dijkstra_path, nx.bidirectional_dijkstra, nx.single_source_dijkstra, nx.dijkstra_path_length]
    for function in one_to_one:
        options = {"source": source, "target": target, "weight": weight, "backend": "pleach"}
        if target not in reached:
            with pytest.raises(nx.NetworkXNoPath):
                function(graph, **options)
            continue
        found = function(graph, **options)
        found, path = found if isinstance(found, tuple) else (found, None)
        if isinstance(found, list):
            found, path = length(found), found
        assert found == pytest.approx(reached[target])
        assert path is None or (path[0], path[-1]) == (source, target) and length(path) == pytest.approx(found)
    if target in reached:
        path = nx.bidirectional_shortest_path(graph, source, target, backend="pleach")
        assert len(path) == len(nx.bidirectional_shortest_path(graph, source, target))
    left(nx.single_source_dijkstra, graph, source, weight=lambda u, v, data: 1)


def test_what_is_left_of_paths_is_left_at_once():
    graph = nx.Graph([(0, 1, {"weight": -1})])
    for function in (nx.all_pairs_dijkstra, nx.all_pairs_dijkstra_path, nx.all_pairs_dijkstra_path_length):
        with pytest.raises(NotImplementedError):
            function(graph, backend="pleach")


@each_graph
@pytest.mark.parametrize("directed", [False, True])
def test_centralities_with_all_options(name, directed):
    pytest.importorskip("scipy")
    graph = GRAPHS[name]()
    if directed:
        graph = nx.DiGraph([(u, v, data) for at, (u, v, data) in enumerate(graph.edges(data=True)) if at % 3])
        graph.add_nodes_from([("new", 0), ("new", 1)])
    nodes = list(graph)
    guess = {node: 1 + at % 3 for at, node in enumerate(nodes)}
    some = {nodes[0]: 1, nodes[-1]: 2}
    calls = [
        (nx.pagerank, {"weight": weight, "nstart": start, "dangling": dangling, "personalization": teleport, "tol": 1e-9, "max_iter": 1000})
        for weight in ("weight", None) for start in (None, guess) for dangling in (None, some) for teleport in (None, some)
    ]
    calls += [
        (nx.katz_centrality, {"alpha": 0.01, "normalized": normalized, "nstart": start, "weight": weight, "beta": beta, "tol": 1e-9})
        for normalized in (False, True) for start in (None, guess) for weight in ("weight", None) for beta in (1.0, 0.5, guess)
    ]
    calls += [
        (function, {"distance": "weight"} | options)
        for function, options in (
            (nx.closeness_centrality, {}), (nx.closeness_centrality, {"wf_improved": False}), (nx.harmonic_centrality, {}),
        )
    ]
    if name != "empty" and not directed:
        calls += [(nx.eigenvector_centrality, {"nstart": guess, "weight": "weight", "max_iter": 5000, "tol": 1e-9})]
    for function, options in calls:
        theirs = function(graph, **options)
        ours = function(graph, **options, backend="pleach")
        assert ours == pytest.approx(theirs, rel=1e-6, abs=1e-7), (function.__name__, options)
    for options in ({}, {"wf_improved": False}, {"distance": "weight"}, {"distance": "weight", "wf_improved": False}):
        of_all = nx.closeness_centrality(graph, **options)
        for node in nodes[::5] + nodes[-2:]:
            assert nx.closeness_centrality(graph, node, **options, backend="pleach") == pytest.approx(of_all[node]), (node, options)


def test_first_guesses_that_are_none_are_left():
    graph = nx.path_graph(4)
    for start in ({0: 1, 9: 1}, {0: -1}, {0: 0}, {0: float("nan")}):
        left(nx.pagerank, graph, nstart=start)
    left(nx.eigenvector_centrality, graph, nstart={0: 1})
    left(nx.katz_centrality, graph, beta={0: 1})


@pytest.mark.parametrize("weight", [float("nan"), float("inf")])
def test_weights_that_are_not_finite_are_left(weight):
    graph = nx.Graph([(0, 1, {"weight": weight}), (1, 2, {"weight": 1.0})])
    left(nx.eigenvector_centrality, graph, weight="weight")
    left(nx.katz_centrality, graph, weight="weight")
    left(nx.hits, graph)
