"""Algorithms against NetworkX and answers computed by hand."""

import inspect
import random

import numpy as np
import pytest

import pleach_graph as pl
from pleach_graph import _pleach

networkx = pytest.importorskip("networkx")

GRAPHS = {
    "karate": lambda: networkx.karate_club_graph(),
    "path": lambda: networkx.path_graph(5),
    "petersen": lambda: networkx.petersen_graph(),
    "islands": lambda: networkx.disjoint_union(networkx.cycle_graph(4), networkx.star_graph(3)),
    "random": lambda: networkx.gnp_random_graph(80, 0.05, seed=4),
    "directed": lambda: networkx.gnp_random_graph(60, 0.05, seed=4, directed=True),
    "loops": lambda: networkx.Graph([(0, 0), (0, 1), (1, 2), (2, 2)]),
    "lonely": lambda: networkx.empty_graph(3),
}


@pytest.fixture(params=GRAPHS)
def both(request):
    """A graph of NetworkX's without weights, and ours."""
    other = GRAPHS[request.param]()
    other.remove_nodes_from([])
    for _, _, data in other.edges(data=True):
        data.clear()
    return other, pl.Graph(other)


def close(ours, graph, theirs):
    assert ours.size == len(graph)
    assert ours == pytest.approx([theirs[vertex] for vertex in graph], rel=1e-6, abs=1e-9)


def test_pagerank(both):
    other, graph = both
    close(pl.pagerank(graph, alpha=0.8), graph, networkx.pagerank(other, alpha=0.8, tol=1e-12, max_iter=1000))
    start = {next(iter(graph)): 2.0}
    theirs = networkx.pagerank(other, personalization=start, dangling=start, tol=1e-12, max_iter=1000)
    close(graph.pagerank(personalization=start), graph, theirs)


def test_search(both):
    other, graph = both
    for source in list(other)[:5]:
        theirs = networkx.single_source_shortest_path_length(other, source)
        found = pl.bfs(graph, source)
        assert found.distance.tolist() == [theirs.get(vertex, -1) for vertex in graph]
        order = list(graph)
        for vertex, distance, before in zip(order, *found):
            if distance > 0:
                assert other.has_edge(order[before], vertex) and found.distance[before] == distance - 1
        theirs = networkx.single_source_shortest_path_length(other, source, cutoff=2)
        assert graph.single_source_shortest_path_length(source, cutoff=2).tolist() == [theirs.get(v, -1) for v in graph]


def test_backward_search():
    assert pl.bfs([("a", "b"), ("b", "c")], "c", reverse=True).distance.tolist() == [2, 1, 0]


def test_shortest_paths_by_weight():
    rng = np.random.default_rng(5)
    for directed in (False, True):
        other = networkx.gnp_random_graph(50, 0.08, seed=1, directed=directed)
        for _, _, data in other.edges(data=True):
            data["weight"] = float(rng.integers(1, 20))
        graph = pl.Graph(other)
        theirs = networkx.single_source_dijkstra_path_length(other, 3)
        assert pl.single_source_dijkstra_path_length(graph, 3).tolist() == [theirs.get(v, np.inf) for v in graph]
        theirs = networkx.single_source_dijkstra_path_length(other, 3, cutoff=15)
        assert graph.single_source_dijkstra_path_length(3, 15).tolist() == [theirs.get(v, np.inf) for v in graph]


def sets(graph, labels):
    groups = {}
    for vertex, label in zip(graph, labels):
        groups.setdefault(label, set()).add(vertex)
    assert sorted(groups) == list(range(len(groups)))
    return sorted(map(sorted, groups.values()))


def test_components(both):
    other, graph = both
    weak = networkx.weakly_connected_components if other.is_directed() else networkx.connected_components
    theirs = sorted(map(sorted, weak(other)))
    assert sets(graph, pl.connected_components(graph)) == theirs
    assert pl.number_connected_components(graph) == len(theirs) and graph.is_connected() == (len(theirs) == 1)
    if other.is_directed():
        theirs = sorted(map(sorted, networkx.strongly_connected_components(other)))
        assert sets(graph, pl.strongly_connected_components(graph)) == theirs
        assert pl.number_strongly_connected_components(graph) == len(theirs)


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("endpoints", [True, False])
def test_betweenness(both, normalized, endpoints):
    other, graph = both
    theirs = networkx.betweenness_centrality(other, normalized=normalized, endpoints=endpoints)
    close(pl.betweenness_centrality(graph, normalized=normalized, endpoints=endpoints), graph, theirs)


def test_progress_is_shown(capsys, karate):
    pytest.importorskip("tqdm")
    plain = karate.betweenness_centrality()
    assert np.array_equal(karate.betweenness_centrality(progress=True), plain)
    assert "34/34" in capsys.readouterr().err
    pl.stream([(0, 1)], pl.Graph(), progress=True)
    assert "1 edges" in capsys.readouterr().err


@pytest.mark.parametrize("name", [name for name in pl.algorithms.__all__ if name != "modularity"])
def test_every_algorithm_shows_how_far_it_is(name, capsys):
    pytest.importorskip("tqdm")
    options = {"jaccard_coefficient": {"ebunch": [(0, 1)]}, "similarity": {"u": [0], "v": [1]}, "k_hop": {"sources": [0]}}.get(name, {})
    function = getattr(pl, name)
    if "source" in inspect.signature(function).parameters:
        options = {"source": 0}
    weights = "topological" in name or "spanning" in name or "dijkstra" in name
    edges = [(0, 1), (1, 2), (2, 3)] if not weights else [(0, 1, 2.0), (1, 2, 1.0)]
    graph = pl.Graph(edges, directed="topological" in name or "strongly" in name)
    function(graph, **options)
    assert not capsys.readouterr().err
    getattr(graph, name)(**options, progress=True)
    shown = capsys.readouterr().err
    assert f"{function.__name__}: " in shown
    assert any(unit in shown for unit in ("vertices", "edges", "searches", "iterations", "rounds", "steps", "pushes", "walks", "pairs"))


class Drawn(random.Random):
    """Draws the vertices that a sample of ours has."""

    def sample(self, population, k):
        return [population[at] for at in _pleach.sample_vertices(len(population), k, 7)]


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("endpoints", [True, False])
def test_sampled_betweenness(both, normalized, endpoints):
    pytest.importorskip("networkx", minversion="3.6")
    other, graph = both
    for k in (1, 2, len(graph) - 1, len(graph)):
        theirs = networkx.betweenness_centrality(other, k, normalized, endpoints=endpoints, seed=Drawn())
        ours = graph.betweenness_centrality(k, normalized, endpoints=endpoints, seed=7)
        assert ours == pytest.approx([theirs[vertex] for vertex in graph], rel=1e-6, abs=1e-9, nan_ok=True)
    pair = pl.Graph([("a", "b")])
    assert not pair.betweenness_centrality(1, normalized).any()


def test_sampled_betweenness_is_near():
    graph = pl.read("karate")
    exact, some = graph.betweenness_centrality(), graph.betweenness_centrality(k=20, seed=3)
    assert np.corrcoef(exact, some)[0, 1] > 0.9 and not np.array_equal(exact, some)


def test_density(both):
    other, graph = both
    plain = networkx.Graph(other)
    plain.remove_edges_from(list(networkx.selfloop_edges(plain)))
    close(pl.core_number(graph), graph, networkx.core_number(plain))
    close(pl.clustering(graph), graph, networkx.clustering(plain))
    close(pl.triangles(graph), graph, networkx.triangles(plain))
    assert pl.number_of_triangles(graph) == sum(networkx.triangles(plain).values()) // 3
    assert pl.transitivity(graph) == pytest.approx(networkx.transitivity(plain))
    assert pl.average_clustering(graph) == pytest.approx(networkx.average_clustering(plain))
    for k in range(2, 6):
        truss = networkx.k_truss(plain, k)
        src, dst, numbers = pl.edge_truss_number(graph)
        ours = {frozenset(ends) for *ends, number in zip(src, dst, numbers) if number >= k}
        assert ours == set(map(frozenset, truss.edges))


def test_triangles_do_not_depend_on_weights():
    other = networkx.gnp_random_graph(30, 0.2, seed=6, directed=True)
    for k, (_, _, data) in enumerate(other.edges(data=True)):
        data["weight"] = k % 3 - 1
    other.add_edge(3, 3, weight=1)
    graph, plain = pl.Graph(other), networkx.Graph(other)
    plain.remove_edge(3, 3)
    close(pl.triangles(graph), graph, networkx.triangles(plain))
    assert pl.transitivity(graph) == pytest.approx(networkx.transitivity(plain))
    graph.remove_node(4), plain.remove_node(4)
    close(pl.triangles(graph), graph, networkx.triangles(plain))


def test_core_and_periphery():
    graph = pl.Graph(networkx.lollipop_graph(4, 3))
    assert pl.core_periphery(graph).tolist() == [True] * 4 + [False] * 3


def test_colours_and_sets(both):
    other, graph = both
    colors = dict(zip(graph, pl.greedy_color(graph)))
    assert all(colors[u] != colors[v] for u, v in other.edges if u != v)
    chosen = set(pl.maximal_independent_set(graph, seed=2).tolist())
    plain = networkx.Graph(other)
    assert not any(u in chosen and v in chosen for u, v in plain.edges if u != v)
    assert all(vertex in chosen or chosen & set(plain[vertex]) for vertex in plain)


def test_diameter():
    assert pl.diameter(networkx.path_graph(9)) == 8 and pl.diameter(networkx.karate_club_graph()) == 5
    with pytest.raises(ValueError, match="searches"):
        pl.diameter(networkx.gnp_random_graph(60, 0.08, seed=1), searches=1)


def test_spanning_forest():
    rng = np.random.default_rng(2)
    other = networkx.gnp_random_graph(40, 0.15, seed=3)
    for _, _, data in other.edges(data=True):
        data["weight"] = float(rng.random())
    src, dst, weight = pl.minimum_spanning_edges(pl.Graph(other))
    theirs = networkx.minimum_spanning_tree(other)
    assert set(map(frozenset, zip(src, dst))) == set(map(frozenset, theirs.edges))
    assert weight.sum() == pytest.approx(theirs.size("weight"))
    assert len(pl.minimum_spanning_edges(networkx.cycle_graph(5))[0]) == 4


def test_clusters():
    other = networkx.planted_partition_graph(2, 20, 0.8, 0.01, seed=1)
    graph = pl.Graph(other)
    members, conductance = pl.local_cluster(graph, 0, epsilon=1e-5)
    assert set(members.tolist()) == set(range(20)) and 0 < conductance < 0.1
    labels = pl.label_propagation(graph)
    assert labels.size == 40 and len(set(labels[:20])) == 1


def test_frames():
    found = pl.pagerank([("a", "b")], as_frame=True)
    assert list(found["node"]) == ["a", "b"] and sum(found["rank"]) == pytest.approx(1)


def test_degrees(both):
    other, graph = both
    close(graph.degree(), graph, dict(other.degree))
    if other.is_directed():
        close(graph.in_degree(), graph, dict(other.in_degree))
        close(graph.out_degree(), graph, dict(other.out_degree))
    for vertex in list(graph)[:5]:
        assert graph.degree(vertex) == other.degree[vertex]
        assert sorted(graph.neighbors(vertex)) == sorted(other[vertex])
        if other.is_directed():
            assert sorted(graph.predecessors(vertex)) == sorted(other.pred[vertex])


def test_published_answers(karate):
    """Zachary's karate club: Newman's and others' figures."""
    assert (len(karate), karate.number_of_edges(), karate.number_of_triangles(), karate.diameter()) == (34, 78, 45, 5)
    assert karate.degree(34) == 17 and karate.degree(1) == 16 and karate.core_number().max() == 4
