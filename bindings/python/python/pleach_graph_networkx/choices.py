"""What has more than one right answer: communities, colours, independent sets, spanning trees, topological orders. The answer is right, and not
always the one that NetworkX finds."""

from __future__ import annotations

import itertools
import random as drawn
import sys

import networkx as nx
import numpy as np

import pleach_graph as pl
from pleach_graph.algorithms import _topological

from .backend import _all, _no_loops, _number, _sets, _undirected, _weight_or_none, _weight_range, _weights, implements


def _unseeded(seed) -> bool | str:
    """Whether no seed is given: NetworkX then passes the random numbers that all share."""
    shared = (None, drawn, drawn._inst, np.random, np.random.mtrand._rand)
    if any(seed is each for each in shared):
        return True
    return "a seed is given, which stands for NetworkX's own random numbers"


def _draw() -> int:
    """A seed: the same one after `random.seed` was called with the same."""
    return drawn.getrandbits(62)


def _seed(seed) -> int:
    """A seed that is drawn by the random numbers that are passed."""
    return _draw() if _unseeded(seed) is True else int(seed.random() * 2**53)


# Communities.


def _levels_or_none(max_level) -> bool | str:
    number = max_level is None or isinstance(max_level, (int, np.integer)) and 0 < max_level <= sys.maxsize
    return True if number else "max_level is no positive integer"


def _communities_check(G, weight="weight", resolution=1, threshold=0.0000001, max_level=None, seed=None):
    return _all(
        _unseeded(seed),
        _undirected(G),
        _weight_or_none(weight),
        _levels_or_none(max_level),
        _number("the resolution", resolution, least=0),
        _number("the threshold", threshold, least=0),
    )


def _searched(G, weight, resolution, threshold, seed, leiden=False):
    """The graph, and a function that finds communities in so many levels."""
    G, weighted = _weights(G, weight)
    if weighted and _weight_range(G)[0] < 0:
        raise NotImplementedError("negative weights are left to NetworkX")
    options = {"weight": weighted, "resolution": resolution, "threshold": threshold, "seed": seed}
    find = pl.leiden_communities if leiden else pl.louvain_communities
    return G, lambda level: find(G.snapshot, max_level=level, **options)


def _levels(G, find):
    """The communities of each level, until a level changes nothing."""
    last = None
    for level in itertools.count(1):
        labels = find(level)
        if last is not None and np.array_equal(labels, last):
            return
        yield list(_sets(G, labels))
        last = labels


@implements(_communities_check)
def louvain_communities(G, weight="weight", resolution=1, threshold=0.0000001, max_level=None, seed=None):
    """Communities of high modularity by Louvain."""
    G, find = _searched(G, weight, resolution, threshold, _draw())
    return list(_sets(G, find(max_level)))


@implements(lambda G, weight="weight", resolution=1, threshold=0.0000001, seed=None: _communities_check(
    G, weight, resolution, threshold, None, seed
))
def louvain_partitions(G, weight="weight", resolution=1, threshold=0.0000001, seed=None):
    """The communities of each level of Louvain."""
    return _levels(*_searched(G, weight, resolution, threshold, _draw()))


@implements(lambda G, weight="weight", resolution=1, max_level=None, seed=None: _all(
    _undirected(G), _weight_or_none(weight), _levels_or_none(max_level), _number("the resolution", resolution, least=0)
))
def leiden_communities(G, weight="weight", resolution=1, max_level=None, seed=None):
    """Communities of high modularity by Leiden, each connected. NetworkX has none of its own."""
    G, find = _searched(G, weight, resolution, 1e-7, _seed(seed), leiden=True)
    return list(_sets(G, find(max_level)))


@implements(lambda G, weight="weight", resolution=1, seed=None: _all(
    _undirected(G), _weight_or_none(weight), _number("the resolution", resolution, least=0)
))
def leiden_partitions(G, weight="weight", resolution=1, seed=None):
    """The communities of each level of Leiden. NetworkX has none of its own."""
    return _levels(*_searched(G, weight, resolution, 1e-7, _seed(seed), leiden=True))


# Colours and independent sets.


@implements(lambda G, strategy="largest_first", interchange=False: _all(
    True if strategy == "largest_first" else "nodes are coloured in the order of their degrees",
    "colours are not interchanged" if interchange else True,
))
def greedy_color(G, strategy="largest_first", interchange=False):
    """Colours in which the ends of each edge differ. Nodes are coloured by descending degree, rounded down to a power of two."""
    return G.by_node(pl.greedy_color(G.snapshot))


@implements(lambda G, nodes=None, seed=None: _all(
    _undirected(G),
    _unseeded(seed),
    "nodes are given that belong to it" if nodes else True,
    True if len(G) else "the graph has no nodes",
    _no_loops(G),
))
def maximal_independent_set(G, nodes=None, seed=None):
    """Nodes no two of which are joined, and to which none can be added."""
    members = G.snapshot._algorithms.independent_set(_draw(), None)
    return [G.nodes[at] for at in np.flatnonzero(members).tolist()]


# Spanning trees.


def _forest_check(G, algorithm="kruskal", weight="weight", keys=True, data=True, ignore_nan=False):
    return _all(
        _undirected(G),
        True if algorithm in ("kruskal", "prim", "boruvka") else "the algorithm is none of NetworkX's",
        _weight_or_none(weight),
        True if isinstance(weight, str) else "edges have a weight by name",
    )


def _forest(G, weight, most) -> list[tuple]:
    """The edges of a spanning forest of the least weight, or of the most."""
    G = G.weighted_by(weight)
    src, dst, values = G.snapshot._core.edges()
    values = np.ones(src.size) if values is None else values
    if not np.isfinite(values).all():
        raise NotImplementedError("weights that are not finite are left to NetworkX")
    if G.largest > 2**53:
        raise NotImplementedError("integers above 2^53 are left to NetworkX")
    ends = src.astype(np.int64), dst.astype(np.int64)
    graph = pl.Graph((*ends, -values if most else values), num_vertices=len(G), directed=False)
    found = pl.minimum_spanning_edges(graph)
    return [(G.nodes[u], G.nodes[v]) for u, v in zip(found[0].tolist(), found[1].tolist())]


def _edges(G, weight, data, most):
    edges = _forest(G, weight, most)
    return ((u, v, G._original[u][v]) for u, v in edges) if data else iter(edges)


def _tree(G, weight, most):
    """The graph of a spanning forest, with all attributes of nodes and edges."""
    original = G._original
    tree = original.__class__()
    tree.graph.update(original.graph)
    tree.add_nodes_from(original.nodes.items())
    tree.add_edges_from(_edges(G, weight, True, most))
    return tree


@implements(_forest_check)
def minimum_spanning_edges(G, algorithm="kruskal", weight="weight", keys=True, data=True, ignore_nan=False):
    """The edges of a spanning forest of the least weight."""
    return _edges(G, weight, data, False)


@implements(_forest_check)
def maximum_spanning_edges(G, algorithm="kruskal", weight="weight", keys=True, data=True, ignore_nan=False):
    """The edges of a spanning forest of the most weight."""
    return _edges(G, weight, data, True)


def _tree_check(G, weight="weight", algorithm="kruskal", ignore_nan=False):
    return _forest_check(G, algorithm, weight)


@implements(_tree_check)
def minimum_spanning_tree(G, weight="weight", algorithm="kruskal", ignore_nan=False):
    """A spanning forest of the least weight."""
    return _tree(G, weight, False)


@implements(_tree_check)
def maximum_spanning_tree(G, weight="weight", algorithm="kruskal", ignore_nan=False):
    """A spanning forest of the most weight."""
    return _tree(G, weight, True)


# Orders.


def _directed(G) -> bool | str:
    return True if G.is_directed() else "undirected graphs have no topological order"


def _ordered(function, *args):
    try:
        return function(*args)
    except pl.CycleError as error:
        raise nx.NetworkXUnfeasible("Graph contains a cycle.") from error


@implements(_directed)
def topological_sort(G):
    """The nodes in an order in which every edge leads forward."""
    yield from (G.nodes[at] for at in _ordered(_topological, G.snapshot, None)[0].tolist())


@implements(_directed)
def topological_generations(G):
    """The nodes by the number of edges on the longest path to each."""
    generations = _ordered(pl.topological_generations, G.snapshot)
    for number in range(int(generations.max(initial=-1)) + 1):
        yield [G.nodes[at] for at in np.flatnonzero(generations == number).tolist()]


@implements(lambda G: True if G.is_directed() else "undirected graphs are left to NetworkX")
def has_cycle(G):
    """Whether a cycle follows the edges."""
    return pl.number_strongly_connected_components(G.snapshot) < len(G) or bool(G.snapshot._has_loop().any())
