"""The backend of NetworkX answers what NetworkX answers, whatever happened to the graph."""

import itertools
import math
from decimal import Decimal

import numpy as np
import pytest

nx = pytest.importorskip("networkx")
if "pleach" not in nx.utils.backends.backends:
    # The backend is found by what an installed package says of itself.
    pytest.skip("the package is not installed", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("ignore:Note. conversions to backend graphs:UserWarning")


def both(function, *args, **kwargs):
    """What NetworkX answers, and what the backend does."""

    def answer(backend):
        try:
            found = function(*args, **kwargs, backend=backend)
            return list(found) if hasattr(found, "__next__") else found
        except Exception as error:  # noqa: BLE001
            return type(error)

    return answer("networkx"), answer("pleach")


def same(function, *args, **kwargs):
    theirs, ours = both(function, *args, **kwargs)
    assert ours == theirs, function.__name__


def left(function, *args, **kwargs):
    """The backend leaves the call to NetworkX."""
    assert both(function, *args, **kwargs)[1] is NotImplementedError


def same_by_priority(function, *args, **kwargs):
    """Where the backend comes first, the call ends as it does without it."""

    def answer(backends):
        with nx.config(backend_priority=backends), nx.config.backends.pleach(least_size=0):
            try:
                found = function(*args, **kwargs)
                return list(found) if hasattr(found, "__next__") else found
            except Exception as error:  # noqa: BLE001
                return type(error)

    assert answer(["pleach"]) == answer([]), (function.__name__, args[1:], kwargs)


def weighted_path():
    graph = nx.Graph()
    graph.add_weighted_edges_from([(0, 1, 1), (1, 2, 1)])
    return graph


def every_weight(graph):
    for _, _, data in graph.edges(data=True):
        data["weight"] = 7


CHANGES = {
    "G[u][v]": lambda graph: graph[0][1].__setitem__("weight", 9),
    "G.edges[u, v]": lambda graph: graph.edges[0, 1].__setitem__("weight", 9),
    "the data of all edges": every_weight,
    "G.adj": lambda graph: graph.adj[0][1].update(weight=4),
    "an attribute is gone": lambda graph: graph[0][1].pop("weight"),
    "the dictionaries of edges": lambda graph: (graph._adj[0].update({2: {"weight": 0.1}}), graph._adj[2].update({0: {"weight": 0.1}})),
    "a method": lambda graph: graph.add_edge(0, 2, weight=0.5),
    "another edge in its place": lambda graph: (graph.remove_edge(0, 1), graph.add_edge(0, 2, weight=1)),
}


@pytest.mark.parametrize("how", CHANGES)
def test_no_change_is_missed(how):
    graph = weighted_path()
    same(nx.single_source_dijkstra_path_length, graph, 0)
    same(nx.connected_components, graph)
    CHANGES[how](graph)
    same(nx.single_source_dijkstra_path_length, graph, 0)
    same(nx.connected_components, graph)


def test_no_change_below_a_view_is_missed():
    graph, shown = nx.path_graph(4), [True]
    directed = nx.path_graph(4, create_using=nx.DiGraph)
    views = [
        graph.subgraph([0, 1, 2]),
        graph.edge_subgraph([(0, 1), (1, 2)]),
        nx.subgraph_view(graph, filter_edge=lambda u, v: shown[0]),
        graph.to_directed(as_view=True),
        directed.to_undirected(as_view=True),
        directed.reverse(copy=False),
    ]
    for view in views:
        same(nx.single_source_shortest_path_length, view, 2)
    graph.add_edge(0, 2), directed.add_edge(3, 0)
    graph.remove_edge(1, 2), directed.remove_edge(1, 2)
    shown[0] = False
    for view in views:
        same(nx.single_source_shortest_path_length, view, 2)


def test_a_conversion_is_used_again():
    graph = nx.path_graph(5)
    nx.number_connected_components(graph, backend="pleach")
    kept = dict(graph.__networkx_cache__["backends"]["pleach"])
    nx.number_connected_components(graph, backend="pleach")
    assert kept and dict(graph.__networkx_cache__["backends"]["pleach"]) == kept


def test_cutoffs():
    graph = weighted_path()
    graph.add_edge(7, 8)
    for graph, cutoff in itertools.product((graph, graph.to_directed()), (None, -math.inf, -1, 0, 0.5, 1, 1.5, 2, 10**20, math.inf)):
        same(nx.single_source_shortest_path_length, graph, 0, cutoff=cutoff)
        same(nx.single_target_shortest_path_length, graph, 0, cutoff=cutoff)
        same(nx.all_pairs_shortest_path_length, graph, cutoff=cutoff)
        same(nx.single_source_shortest_path, graph, 0, cutoff=cutoff)
        same(nx.all_pairs_shortest_path, graph, cutoff=cutoff)
        for weight in ("weight", None):
            same(nx.single_source_dijkstra, graph, 0, cutoff=cutoff, weight=weight)
            same(nx.single_source_dijkstra_path, graph, 0, cutoff=cutoff, weight=weight)
            same(nx.single_source_dijkstra_path_length, graph, 0, cutoff=cutoff, weight=weight)
            same(nx.all_pairs_dijkstra, graph, cutoff=cutoff, weight=weight)


def test_distances_by_weight():
    graph = nx.Graph()
    graph.add_weighted_edges_from([(0, 1, 1.0), (1, 2, 2.0)])
    found = nx.single_source_dijkstra_path_length(graph, 0, backend="pleach")
    assert [type(length) for length in found.values()] == [int, float, float]
    assert type(nx.single_source_dijkstra_path_length(weighted_path(), 0, backend="pleach")[2]) is int
    graph.add_edge(7, 8, weight=-1)
    left(nx.single_source_dijkstra_path_length, graph, 0)
    large = nx.Graph()
    large.add_weighted_edges_from([(0, 1, 2**60 + 1), (1, 2, 3)])
    left(nx.single_source_dijkstra_path_length, large, 0)
    large[0][1]["weight"] = 2**2000
    left(nx.single_source_dijkstra_path_length, large, 0)
    # Floats beside integers do not make these smaller.
    for huge in (2**53 + 1, np.int64(2**53 + 1), -(2**53) - 1):
        mixed = nx.Graph()
        mixed.add_weighted_edges_from([(0, 1, huge), (1, 2, 2**53), (2, 3, 0.5)])
        left(nx.minimum_spanning_edges, mixed)
        left(nx.dijkstra_path_length, mixed, 0, 3)
    mixed.remove_edge(0, 1), mixed.remove_edge(1, 2)
    mixed.add_edge(1, 2, weight=2**50)
    same(nx.minimum_spanning_edges, mixed)
    same(nx.dijkstra_path_length, mixed, 1, 3)


def test_arguments_that_are_none_end_as_in_networkx():
    graph, complete, parts = nx.path_graph(6), nx.complete_graph(4), [{0, 1, 2}, {3, 4, 5}]
    for pairs in ([(0, 1, 2)], [(0,)], [(0, 1), (1,)], [0], [None], 5, [(0, 9)], [{0, 1}], [[0, 1]], ["ab"], []):
        same_by_priority(nx.jaccard_coefficient, graph, pairs)
    for distance in ("x", None, [1], 2.5, 2.0, 2 + 0j, math.nan, math.inf, -1, 10**400, np.int64(2)):
        same_by_priority(nx.descendants_at_distance, graph, 1, distance)
    for max_level in (1.5, 0.5, np.float64(1), math.inf, 0, -1, "x", 10**30, True, np.int64(2)):
        same_by_priority(nx.community.louvain_communities, complete, max_level=max_level)
    for number in (math.inf, "x", None, Decimal(1), -1):
        same_by_priority(nx.community.louvain_communities, complete, resolution=number)
        same_by_priority(nx.community.louvain_communities, complete, threshold=number)
        same_by_priority(nx.community.modularity, graph, parts, resolution=number)
    pytest.importorskip("scipy")
    for number in (math.nan, -math.inf, "x", None, -1):
        for function in (nx.pagerank, nx.katz_centrality, nx.eigenvector_centrality):
            same_by_priority(function, graph, tol=number)
        same_by_priority(nx.hits, nx.complete_graph(5), tol=number)
    for number in (math.nan, math.inf, "x", None, Decimal(1)):
        same_by_priority(nx.pagerank, graph, alpha=number)
        same_by_priority(nx.katz_centrality, graph, alpha=number, max_iter=20)
    for max_iter in (5.5, "x", None, -1, 0, 10**30):
        same_by_priority(nx.pagerank, graph, max_iter=max_iter)


def test_layers():
    graph = nx.Graph([(3, 1), (1, 0), (3, 2), (0, 5), (2, 4), (7, 8)])
    for sources in (3, [3, 0], (5, 0), [5, 5, 0], {7, 3}, range(3), []):
        theirs, ours = both(nx.bfs_layers, graph, sources)
        assert ours[:1] == theirs[:1] and list(map(set, ours)) == list(map(set, theirs))
        # A layer is in the order of the nodes.
        assert all(layer == [node for node in graph if node in set(layer)] for layer in ours[1:])


def test_corners():
    loops = nx.Graph([(1, 2), (2, 2)])
    left(nx.jaccard_coefficient, loops, [(1, 2)])
    same(nx.jaccard_coefficient, nx.path_graph(4), [(0, 2), (0, 1), (1, 1)])
    same(nx.overall_reciprocity, nx.path_graph(4))
    same(nx.overall_reciprocity, nx.DiGraph([(0, 1), (1, 0), (1, 2)]))
    same(nx.average_clustering, nx.path_graph(4), count_zeros=False)
    same(nx.average_clustering, nx.karate_club_graph(), count_zeros=False, weight=None)
    left(nx.local_reaching_centrality, nx.empty_graph(3, create_using=nx.DiGraph), 0)


def test_hubs_and_communities():
    graph = nx.karate_club_graph()
    parts = [set(range(17)), frozenset(range(17, 34))]
    for weight in ("weight", None, "absent"):
        for resolution in (1, 0.5):
            theirs, ours = both(nx.community.modularity, graph, parts, weight=weight, resolution=resolution)
            assert ours == pytest.approx(theirs, rel=1e-12)
    left(nx.community.modularity, graph, [set(range(17))])
    left(nx.community.modularity, graph, iter(parts))
    left(nx.community.modularity, nx.empty_graph(2), [{0}, {1}])
    scipy = pytest.importorskip("scipy")  # noqa: F841
    for other in (graph, nx.gnp_random_graph(40, 0.1, seed=3, directed=True)):
        theirs, ours = both(nx.hits, other)
        for one, another in zip(theirs, ours):
            assert another == pytest.approx(one, abs=1e-6) and list(another) == list(one)
    left(nx.hits, nx.empty_graph(3))
    left(nx.hits, graph, normalized=False)


def test_a_converted_graph():
    from pleach_graph_networkx.backend import convert_from_nx

    graph = nx.Graph()
    graph.add_weighted_edges_from([(0, 1, 5), (1, 2, 1), (2, 0, 1), (2, 3, 2)])
    nx.set_edge_attributes(graph, {(0, 1): 7, (1, 2): 2}, "length")
    ours = convert_from_nx(graph, preserve_edge_attrs=True)
    assert (len(ours), ours.number_of_nodes(), ours.number_of_edges(), list(ours)) == (4, 4, 4, [0, 1, 2, 3])
    for weight in (None, "weight", "length"):
        for function, options in [(nx.eigenvector_centrality, {"max_iter": 1000}), (nx.katz_centrality, {"alpha": 0.05})]:
            found = function(ours, weight=weight, tol=1e-9, **options)
            assert found == pytest.approx(function(graph, weight=weight, tol=1e-9, **options, backend="networkx"), abs=1e-6)
    for weight in ("weight", "length"):
        expected = nx.single_source_dijkstra_path_length(graph, 0, weight=weight, backend="networkx")
        assert nx.single_source_dijkstra_path_length(ours, 0, weight=weight) == expected
    assert nx.diameter(ours) == 2 and nx.core_number(ours) == nx.core_number(graph)
    assert np.isclose(nx.average_clustering(ours, weight=None), nx.average_clustering(graph))
