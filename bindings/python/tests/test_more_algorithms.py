"""Further algorithms against NetworkX and answers computed by hand."""

import numpy as np
import pytest

import pleach_graph as pl

networkx = pytest.importorskip("networkx")

from test_algorithms import both, close  # noqa: E402, F401


def test_closeness(both):  # noqa: F811
    other, graph = both
    close(pl.closeness_centrality(graph), graph, networkx.closeness_centrality(other))
    theirs = networkx.closeness_centrality(other, wf_improved=False)
    close(graph.closeness_centrality(wf_improved=False), graph, theirs)
    close(pl.harmonic_centrality(graph), graph, networkx.harmonic_centrality(other))


@pytest.mark.parametrize("weighted", [False, True])
def test_vectors(weighted):
    rng = np.random.default_rng(8)
    for directed in (False, True):
        other = networkx.gnp_random_graph(50, 0.2, seed=2, directed=directed)
        if weighted:
            for _, _, data in other.edges(data=True):
                data["weight"] = float(rng.integers(1, 4))
        graph = pl.Graph(other)
        weight = "weight" if weighted else None
        theirs = networkx.eigenvector_centrality(other, max_iter=1000, tol=1e-12, weight=weight)
        close(pl.eigenvector_centrality(graph, tol=1e-12), graph, theirs)
        theirs = networkx.katz_centrality(other, alpha=0.01, tol=1e-12, weight=weight)
        close(pl.katz_centrality(graph, alpha=0.01, tol=1e-12), graph, theirs)
        if not weighted:
            hubs, authorities = networkx.hits(other, tol=1e-12)
            found = pl.hits(graph, tol=1e-12)
            close(found.hubs, graph, hubs)
            close(found.authorities, graph, authorities)
    assert np.array_equal(pl.katz_centrality(graph, weight=False, alpha=0.01), pl.Graph(graph, weighted=False).katz_centrality(0.01))


def test_katz_that_grows_beyond_all_numbers():
    with pytest.raises(pl.NotConverged):
        pl.katz_centrality(networkx.complete_graph(10), alpha=5)


def test_communities(karate):
    for find in (pl.louvain_communities, pl.leiden_communities):
        labels = find(karate)
        quality = pl.modularity(karate, labels)
        sets = [set(np.array(list(karate))[labels == label].tolist()) for label in range(labels.max() + 1)]
        assert quality == pytest.approx(networkx.community.modularity(karate.to_networkx(), sets))
        # The best there is has 0.4198.
        assert 0.40 < quality < 0.4199
    other = networkx.planted_partition_graph(4, 25, 0.7, 0.02, seed=1)
    expected = np.repeat(np.arange(4), 25)
    for find in (pl.louvain_communities, pl.leiden_communities):
        assert np.array_equal(find(other), expected)
        assert find(pl.Graph(directed=False, nodes=["a", "b"])).tolist() == [0, 1]
    assert pl.louvain_communities(other, resolution=0).max() == 0
    with pytest.raises(ValueError, match="undirected"):
        pl.louvain_communities([(0, 1)])
    with pytest.raises(ValueError, match="communities"):
        pl.modularity(karate, [0, 1])


def test_leiden_gains_by_every_iteration():
    other = networkx.gnm_random_graph(2000, 5000, seed=1)
    graph = pl.Graph(other)
    quality = [pl.modularity(graph, pl.leiden_communities(graph, n_iterations=count)) for count in (1, 2, 10)]
    # As igraph's Leiden, which has 0.446, 0.464 and 0.484.
    assert quality[0] > 0.44 and quality[1] > 0.46 and quality[2] > 0.48
    assert pl.modularity(graph, pl.leiden_communities(graph)) == quality[1]


def test_leiden_is_connected():
    for seed in range(5):
        other = networkx.gnp_random_graph(120, 0.04, seed=seed)
        labels = pl.leiden_communities(other, seed=seed)
        for label in range(labels.max() + 1):
            assert networkx.is_connected(other.subgraph(np.flatnonzero(labels == label).tolist()))


def test_cuts(both):  # noqa: F811
    other, graph = both
    plain = networkx.Graph(other)
    ours = {frozenset(ends) for ends in zip(*(column.tolist() for column in pl.bridges(graph)))}
    assert ours == set(map(frozenset, networkx.bridges(plain)))
    assert set(pl.articulation_points(graph).tolist()) == set(networkx.articulation_points(plain))


def test_order():
    other = networkx.gn_graph(60, seed=3)
    graph = pl.Graph(other)
    place = {vertex: at for at, vertex in enumerate(pl.topological_sort(graph).tolist())}
    assert len(place) == 60 and all(place[u] < place[v] for u, v in other.edges)
    generations = dict(zip(graph, pl.topological_generations(graph)))
    for number, level in enumerate(networkx.topological_generations(other)):
        assert all(generations[vertex] == number for vertex in level)
    with pytest.raises(pl.CycleError, match="'[bc]' is on one"):
        pl.topological_sort([("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")])
    with pytest.raises(ValueError, match="directed"):
        pl.topological_sort(networkx.path_graph(3))


def test_reach(both):  # noqa: F811
    other, graph = both
    for source in list(other)[:4]:
        assert set(pl.descendants(graph, source).tolist()) == networkx.descendants(other, source)
        assert set(pl.ancestors(graph, source).tolist()) == networkx.ancestors(other, source)


def test_likeness(karate):
    other = karate.to_networkx()
    pairs = [(1, 34), (1, 2), (5, 5), (17, 26)]
    found = pl.similarity(karate, *zip(*pairs))
    theirs = [value for *_, value in networkx.jaccard_coefficient(other, pairs)]
    assert found["jaccard"] == pytest.approx(theirs)
    common = [len(set(other[u]) & set(other[v])) for u, v in pairs]
    assert found["common"].tolist() == common
    smaller = [min(other.degree(u), other.degree(v)) for u, v in pairs]
    assert found["overlap"] == pytest.approx(np.divide(common, smaller))
    with pytest.raises(KeyError, match="99"):
        pl.similarity(karate, [1], [99])


def test_paths_by_weight():
    rng = np.random.default_rng(5)
    other = networkx.gnp_random_graph(60, 0.06, seed=1, directed=True)
    for _, _, data in other.edges(data=True):
        data["weight"] = float(rng.integers(0, 9))
    graph = pl.Graph(other)
    paths = pl.single_source_dijkstra(graph, 0)
    for vertex, length in networkx.single_source_dijkstra_path_length(other, 0).items():
        path = paths.to(graph.position(vertex))
        assert path[0] == 0 and path[-1] == vertex and networkx.path_weight(other, path, "weight") == length
    assert paths.to(graph.position(0)) == [0]
    back = pl.single_source_dijkstra([(0, 1, 2.0), (1, 2, 0.5), (3, 0, 1.0)], 2, reverse=True)
    assert back.distance.tolist() == [2.5, 0.5, 0.0, 3.5] and back.to(3) == [2, 1, 0, 3]
    assert pl.single_source_dijkstra([(0, 1), (1, 2)], 2, reverse=True).distance.tolist() == [2.0, 1.0, 0.0]
    undirected = pl.Graph([(0, 1, 2.0), (1, 2, 0.5)], directed=False)
    assert pl.single_source_dijkstra(undirected, 2, reverse=True).distance.tolist() == [2.5, 0.5, 0.0]
    unweighted = pl.single_source_dijkstra([(0, 1), (1, 2), (3, 0)], 0)
    assert unweighted.to(2) == [0, 1, 2] and unweighted.to(3) == []


def test_walks():
    other = networkx.gnp_random_graph(30, 0.2, seed=1, directed=True)
    other.add_edge(0, "end")
    graph = pl.Graph(other)
    order = list(graph)
    found = pl.random_walks(graph, length=20, p=0.5, q=2, seed=7)
    assert found.shape == (31, 21) and np.array_equal(found[:, 0], np.arange(31))
    assert np.array_equal(found, pl.random_walks(graph, length=20, p=0.5, q=2, seed=7, threads=1))
    for walk in found.tolist():
        for at, to in zip(walk, walk[1:]):
            assert to == -1 if at == -1 or not other[order[at]] else other.has_edge(order[at], order[to])
    assert pl.random_walks(graph, ["end"], length=2).tolist() == [[30, -1, -1]]
    weighted = pl.Graph([("a", "b", 1.0), ("a", "c", 0.0)])
    assert (pl.random_walks(weighted, ["a"] * 50, length=1)[:, 1] == 1).all()
    # A vertex in three is taken with the weight that it has.
    fair = pl.random_walks(pl.Graph([("a", "b", 3.0), ("a", "c", 1.0)]), ["a"] * 4000, length=1)[:, 1]
    assert 0.7 < (fair == 1).mean() < 0.8
    with pytest.raises(ValueError, match="p must be"):
        pl.random_walks(graph, p=0)


def test_names_and_order_of_arguments_are_those_of_networkx():
    import inspect

    theirs = {name: getattr(networkx, name, None) or getattr(networkx.community, name, None) for name in pl.algorithms.__all__}
    positional = lambda function: [
        parameter.name for parameter in inspect.signature(function).parameters.values() if parameter.kind == parameter.POSITIONAL_OR_KEYWORD
    ][1:]
    for name, function in theirs.items():
        if callable(function) and not isinstance(function, type):
            own = positional(getattr(pl, name))
            assert own == positional(getattr(function, "orig_func", function))[: len(own)], name


def test_what_a_cutoff_leaves_out(karate):
    graph = pl.Graph([("a", "b", 1), ("b", "c", 1), ("a", "c", 5), ("c", "d", 1)])
    paths = pl.single_source_dijkstra(graph, "a", cutoff=2)
    assert paths.distance.tolist() == [0, 1, 2, np.inf] and paths.to(3) == [] and paths.to(2) == ["a", "b", "c"]
    assert pl.single_source_dijkstra(pl.Graph([(0, 1), (1, 2)]), 0, cutoff=1).to(2) == []
    theirs = networkx.average_clustering(karate.to_networkx(), count_zeros=False)
    assert pl.average_clustering(karate, count_zeros=False) == pytest.approx(theirs)


@pytest.mark.parametrize("seed", range(4))
def test_common_neighbors_are_none_of_the_two(seed):
    rng = np.random.default_rng(seed)
    other = networkx.gnp_random_graph(9, 0.4, seed=seed)
    other.add_edges_from((node, node) for node in np.flatnonzero(rng.random(9) < 0.6).tolist())
    pairs = [(u, v) for u in range(9) for v in range(9)]
    theirs = [value for *_, value in networkx.jaccard_coefficient(other, pairs)]
    assert pl.jaccard_coefficient(other, pairs).tolist() == theirs
    assert pl.jaccard_coefficient(pl.Graph(other, weighted=True), pairs).tolist() == theirs


def test_pairs_of_neighbourhoods(karate):
    pairs = [(1, 34), (1, 2)]
    theirs = [value for *_, value in networkx.jaccard_coefficient(karate.to_networkx(), pairs)]
    assert pl.jaccard_coefficient(karate, pairs) == pytest.approx(theirs)
    with pytest.raises(ValueError, match="ebunch"):
        pl.jaccard_coefficient(karate, [(1, 2, 3)])


def weighted_pair(directed):
    """A graph with weights, by both."""
    other = networkx.gnp_random_graph(40, 0.1, seed=8, directed=directed)
    for at, (_, _, data) in enumerate(other.edges(data=True)):
        data["weight"] = 1 + at % 5
    return other, pl.Graph(other)


@pytest.mark.parametrize("directed", [False, True])
def test_power_iterations_from_a_guess(directed):
    pytest.importorskip("scipy")
    other, graph = weighted_pair(directed)
    guess, some = {node: 1 + node % 3 for node in other}, {0: 2, 7: 1}
    options = {"nstart": guess, "dangling": some, "personalization": some}
    theirs = networkx.pagerank(other, tol=1e-12, max_iter=1000, **options)
    assert graph.pagerank(weight=True, **options) == pytest.approx([theirs[node] for node in graph.nodes], abs=1e-9)
    theirs = networkx.pagerank(other, tol=1e-12, max_iter=1000)
    assert graph.pagerank(weight=True) == pytest.approx([theirs[node] for node in graph.nodes], abs=1e-9)
    theirs = networkx.katz_centrality(other, 0.01, guess, normalized=False, nstart=guess, weight="weight", tol=1e-12)
    ours = graph.katz_centrality(0.01, guess, normalized=False, nstart=guess, tol=1e-12)
    assert ours == pytest.approx([theirs[node] for node in graph.nodes], abs=1e-9)
    lengths = networkx.closeness_centrality(other, distance="weight")
    assert graph.closeness_centrality(distance=True) == pytest.approx([lengths[node] for node in graph.nodes])
    lengths = networkx.harmonic_centrality(other, distance="weight")
    assert graph.harmonic_centrality(distance=True) == pytest.approx([lengths[node] for node in graph.nodes])


def random_lengths(directed: bool, seed: int):
    """A random graph of several components as NetworkX's and as ours. Weights are floats, some of them 0. One vertex has edges of weight 0 only."""
    rng = np.random.default_rng(seed)
    other = networkx.gnp_random_graph(60, 0.04, seed=seed, directed=directed)
    for _, _, data in other.edges(data=True):
        data["weight"] = float(rng.choice([0.0, 1e-3, rng.random(), 7 * rng.random()]))
    other.add_edge(60, 0, weight=0.0)
    return other, pl.Graph(other, weighted=True)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_closeness_by_weights(directed, seed):
    other, graph = random_lengths(directed, seed)
    for wf_improved in (True, False):
        theirs = networkx.closeness_centrality(other, distance="weight", wf_improved=wf_improved)
        for threads in (1, 2, None):
            close(graph.closeness_centrality(distance=True, wf_improved=wf_improved, threads=threads), graph, theirs)
    close(graph.harmonic_centrality(distance=True), graph, networkx.harmonic_centrality(other, distance="weight"))
    # The number of a removed vertex has no place in the results.
    other.remove_node(3)
    graph.remove_node(3)
    close(graph.closeness_centrality(distance=True), graph, networkx.closeness_centrality(other, distance="weight"))


def test_lengths_by_hand():
    # Distances are to a vertex: none to 0; to 2 they are 0 from 1, and 2 from 0 by way of 1.
    graph = pl.Graph([(0, 1, 2.0), (1, 2, 0.0), (0, 2, 5.0)])
    assert graph.closeness_centrality(distance=True).tolist() == [0.0, 0.25, 1.0]
    assert graph.closeness_centrality(distance=True, wf_improved=False).tolist() == [0.0, 0.5, 1.0]
    assert graph.harmonic_centrality(distance=True).tolist() == [0.0, 0.5, 0.5]
    assert pl.closeness_centrality([(0, 1, 0.0)], distance=True).tolist() == [0.0, 0.0]
    # Edges without weights have length 1.
    karate = pl.read("karate")
    assert np.array_equal(karate.closeness_centrality(distance=True), karate.closeness_centrality())
    with pytest.raises(ValueError, match="weights must be finite and not negative"):
        pl.closeness_centrality([(0, 1, -1.0)], distance=True)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_ranks_by_weights(directed, seed):
    pytest.importorskip("scipy")
    other, graph = random_lengths(directed, seed)
    guess = {node: 1.0 + node % 3 for node in other}
    for options in ({}, {"nstart": guess}, {"personalization": {0: 1, 60: 0.5}}, {"dangling": {5: 2, 7: 1}, "personalization": {1: 1}}):
        theirs = networkx.pagerank(other, tol=1e-14, max_iter=5000, **options)
        ours = graph.pagerank(weight=True, tol=1e-12, **options)
        assert ours == pytest.approx([theirs[node] for node in graph.nodes], abs=1e-9), options
        assert ours.sum() == pytest.approx(1)
        if "nstart" not in options:
            continue
        # Two iterations from the guess do not converge.
        with pytest.raises(pl.NotConverged):
            graph.pagerank(weight=True, max_iter=2, nstart=guess)
    graph.remove_node(3)
    other.remove_node(3)
    theirs = networkx.pagerank(other, tol=1e-14, max_iter=5000)
    assert graph.pagerank(weight=True) == pytest.approx([theirs[node] for node in graph.nodes], abs=1e-9)


def test_ranks_without_weights_ignore_them():
    _, graph = random_lengths(True, 1)
    assert np.array_equal(graph.pagerank(), pl.Graph(graph, weighted=False).pagerank(weight=True))


def test_guesses_of_many_vertices():
    # Ids are consecutive numbers, numbers with a gap, or strings.
    ring = [(k, (k + 1) % 500) for k in range(500)]
    for graph in (pl.Graph(ring), pl.Graph([*ring, (500, 501)]), pl.Graph([(str(u), str(v)) for u, v in ring])):
        if 501 in graph:
            graph.remove_node(500)
        guess = {node: 1.0 + at % 7 for at, node in enumerate(graph.nodes.tolist())}
        assert graph.pagerank(nstart=guess, tol=1e-14) == pytest.approx(graph.pagerank(), abs=1e-9)
        own = graph.katz_centrality(beta=guess, normalized=False)
        # The definition: beta, and a tenth of the scores of the predecessors.
        before = {node: graph.predecessors(node).tolist() for node in guess}
        expected = [guess[node] + 0.1 * sum(own[graph.position(other)] for other in before[node]) for node in guess]
        assert own == pytest.approx(expected, abs=1e-6)


def test_wrong_guesses():
    graph = pl.Graph([("a", "b", 1.0), ("b", "c", 2.0)])
    with pytest.raises(KeyError, match="nstart"):
        graph.pagerank(nstart={"z": 1})
    with pytest.raises(TypeError, match="dangling"):
        graph.pagerank(dangling=[1, 2, 3])
    with pytest.raises(TypeError, match="nstart"):
        graph.katz_centrality(nstart={"a": "x"})
    with pytest.raises(TypeError, match="beta must give numbers, and gives 'b' a list"):
        graph.katz_centrality(beta={"a": 1, "b": []})
    with pytest.raises(ValueError, match="nstart gives 'b'"):
        graph.katz_centrality(nstart={"a": 1, "b": 10**400})
    for wrong in ({"a": -1, "b": 2}, {"a": 0}, {}, {"a": float("nan")}):
        with pytest.raises(ValueError, match="nstart"):
            graph.pagerank(nstart=wrong)
    with pytest.raises(pl.NotConverged):
        graph.pagerank(weight=True, max_iter=1)
    with pytest.raises(pl.NotConverged):
        pl.katz_centrality([("a", "b"), ("b", "a")], alpha=5.0, normalized=False, nstart={"a": 1})
    with pytest.raises(ValueError, match="weights"):
        pl.pagerank([("a", "b", -1.0)], weight=True)
    with pytest.raises(ValueError, match="scale them"):
        pl.pagerank([("a", "b", 1e308), ("a", "c", 1e308)], weight=True)
    ring = pl.Graph([("a", "b"), ("b", "c"), ("c", "a")], directed=False)
    for ranked in (ring.pagerank, ring.eigenvector_centrality, ring.katz_centrality):
        assert ranked(nstart={"a": 1, "b": 1, "c": 1}, threads=1).size == 3
        with pytest.raises(ValueError, match="threads"):
            ranked(nstart={"a": 1, "b": 1, "c": 1}, threads=0)


def test_levels_are_counted():
    graph = pl.read("karate")
    found = [len(set(graph.louvain_communities(max_level=level))) for level in (1, 2, None)]
    assert found == sorted(found, reverse=True) and found[0] > found[-1]
    with pytest.raises(ValueError, match="max_level"):
        graph.louvain_communities(max_level=0)
