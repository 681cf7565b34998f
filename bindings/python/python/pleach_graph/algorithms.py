"""Algorithms. Each takes a graph, a snapshot, or anything that `Graph` takes, and is a method of both, too.

Results are NumPy arrays in vertex order, the order of ``graph.nodes``. With ``as_frame=True`` they are frames with the ids of
vertices: of pandas if it is installed, otherwise dictionaries of columns. The GIL is released while an algorithm runs, and Ctrl-C ends
it. All take ``threads``; without it they use what `set_threads` or the environment variable ``PLEACH_THREADS`` says.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Hashable, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from . import _pleach
from ._graph import Graph, Snapshot
from ._methods import Methods

__all__: list[str] = []


def _version(graph) -> Snapshot:
    """A version of whatever is a graph."""
    return graph.snapshot() if isinstance(graph, (Graph, Snapshot)) else Graph(graph).snapshot()


def frame(graph, **columns):
    """Values of vertices with their ids, as a frame.

    Parameters
    ----------
    graph : Graph or Snapshot
        What they are values of.
    **columns : array_like
        Values in vertex order.

    Returns
    -------
    pandas.DataFrame or dict
        A dictionary of columns if pandas is not installed. The first column, ``node``, holds the ids.
    """
    columns = {"node": _version(graph).nodes, **columns}
    sizes = {name: len(column) for name, column in columns.items()}
    if len(set(sizes.values())) > 1:
        raise ValueError("the columns differ in length: " + ", ".join(f"{name} has {n}" for name, n in sizes.items()))
    try:
        import pandas
    except ImportError:
        return columns
    return pandas.DataFrame(columns)


def _public(function):
    """Lists a function, and makes it a method."""
    __all__.append(function.__name__)
    setattr(Methods, function.__name__, function)
    return function


def _values(name: str):
    """For functions that find a value for each vertex: they return a frame if they are asked for one."""

    def decorate(function):
        @functools.wraps(function)
        def found(graph, *args, as_frame: bool = False, **kwargs):
            version = _version(graph)
            values = function(version, *args, **kwargs)
            return frame(version, **{name: values}) if as_frame else values

        return _public(found)

    return decorate


def _count(name: str, value, least: int = 0) -> int:
    try:
        value = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}") from None
    if value < least:
        raise ValueError(f"{name} must be at least {least}, not {value}")
    return value


def _real(name: str, value) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}") from None


class NotConverged(ArithmeticError):
    """An iteration has not come down to its tolerance within its largest number of steps."""


class Search(NamedTuple):
    """What a breadth-first search finds, in vertex order."""

    #: The number of edges on a shortest path to each vertex, -1 where there is none.
    distance: np.ndarray
    #: The position of the vertex before it on such a path; the source's own is its own, and -1 stands where there is no path.
    predecessor: np.ndarray


@_public
def bfs(graph, source: Hashable, *, reverse: bool = False, threads: int | None = None) -> Search:
    """Breadth-first search.

    Parameters
    ----------
    source : hashable
        The vertex to search from.
    reverse : bool
        Whether edges are followed backwards.

    Returns
    -------
    Search
        Distances and predecessors, as arrays in vertex order.

    Raises
    ------
    KeyError
        If the source is no vertex of the graph.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([("a", "b"), ("b", "c"), ("d", "a")])
    >>> pl.bfs(graph, "a").distance.tolist()
    [0, 1, 2, -1]
    """
    version = _version(graph)
    depths, parents, _ = version._algorithms.bfs(version._number("source", source), reverse, threads)
    return Search(version._by_position(depths), version._to_positions(version._by_position(parents)))


@_values("distance")
def single_source_shortest_path_length(
    graph, source: Hashable, cutoff: int | None = None, *, threads: int | None = None
) -> np.ndarray:
    """The number of edges on a shortest path from the source to each vertex, -1 where there is none (or a longer one than `cutoff`).

    Examples
    --------
    >>> import pleach_graph as pl
    >>> pl.single_source_shortest_path_length(pl.read("karate"), 1)[:5].tolist()
    [0, 1, 1, 1, 1]
    """
    number = graph._number("source", source)
    if cutoff is not None:
        found = graph._algorithms.khop([number], _count("cutoff", cutoff), threads)
    else:
        found, _, _ = graph._algorithms.bfs(number, False, threads)
    return graph._by_position(found)


@_values("distance")
def single_source_dijkstra_path_length(
    graph, source: Hashable, cutoff: float | None = None, *, delta: float | None = None, threads: int | None = None
) -> np.ndarray:
    """The length of a shortest path by weight from the source to each vertex, infinite where there is none.

    Parameters
    ----------
    cutoff : float, optional
        Longer distances are infinite, too.
    delta : float, optional
        The width of a bucket, in which vertices are settled together. By default chosen by mean weight and degree.

    Raises
    ------
    ValueError
        If a weight is negative.
    """
    number = graph._number("source", source)
    if delta is not None and not 0 < _real("delta", delta) < np.inf:
        raise ValueError(f"the width of a bucket, delta, must be positive and finite, not {delta}")
    found = graph._by_position(graph._algorithms.sssp(number, None if delta is None else _real("delta", delta), threads))
    if cutoff is not None:
        found[found > _real("cutoff", cutoff)] = np.inf
    return found


@_values("distance")
def k_hop(graph, sources: Iterable[Hashable], radius: int = 1, *, threads: int | None = None) -> np.ndarray:
    """The number of edges from the nearest source to each vertex that is at most `radius` away, -1 for all others."""
    numbers = [graph._number("sources", source) for source in sources]
    return graph._by_position(graph._algorithms.khop(numbers, _count("radius", radius), threads))


@_values("component")
def connected_components(graph, *, threads: int | None = None) -> np.ndarray:
    """The component of each vertex, directions of edges ignored: components are numbered from 0 in the order of their first vertices.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> pl.connected_components([(0, 1), (2, 3), (1, 4)]).tolist()
    [0, 0, 1, 1, 0]
    """
    return _numbered(graph, graph._algorithms.components(False, threads)[0])


weakly_connected_components = connected_components
__all__.append("weakly_connected_components")
Methods.weakly_connected_components = connected_components


@_values("component")
def strongly_connected_components(graph, *, threads: int | None = None) -> np.ndarray:
    """The strongly connected component of each vertex, numbered as in `connected_components`."""
    return _numbered(graph, graph._algorithms.components(True, threads)[0])


def _numbered(graph: Snapshot, labels: np.ndarray) -> np.ndarray:
    """Labels, each the number of a vertex, as numbers from 0 in the order in which they come first."""
    labels = graph._by_position(labels)
    if not labels.size:
        return labels
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(first.size, dtype=np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(first.size)
    return rank[inverse.reshape(-1)]


@_public
def number_connected_components(graph, *, threads: int | None = None) -> int:
    """The number of components, directions of edges ignored."""
    return _version(graph)._algorithms.components(False, threads)[1]


@_public
def number_strongly_connected_components(graph, *, threads: int | None = None) -> int:
    """The number of strongly connected components."""
    return _version(graph)._algorithms.components(True, threads)[1]


@_public
def is_connected(graph, *, threads: int | None = None) -> bool:
    """Whether there is one component, directions of edges ignored. A graph without vertices has none, and is a `ValueError`."""
    version = _version(graph)
    if not len(version):
        raise ValueError("connectivity is undefined for a graph without vertices")
    return number_connected_components(version, threads=threads) == 1


@_values("rank")
def pagerank(
    graph,
    alpha: float = 0.85,
    personalization: Mapping[Hashable, float] | None = None,
    max_iter: int = 1000,
    tol: float = 1e-10,
    *,
    threads: int | None = None,
) -> np.ndarray:
    """PageRank, by edges without their weights.

    Parameters
    ----------
    alpha : float
        The probability of following an edge.
    personalization : mapping, optional
        Weights of the vertices to teleport to. By default all, alike.
    max_iter : int
        The largest number of iterations.
    tol : float
        The sum of absolute changes in an iteration at which it ends.

    Returns
    -------
    numpy.ndarray
        Ranks in vertex order; they sum to 1.

    Raises
    ------
    NotConverged
        If `max_iter` iterations do not come down to `tol`.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> ranks = pl.pagerank([(0, 1), (1, 0), (2, 1)])
    >>> [round(float(rank), 3) for rank in ranks]
    [0.464, 0.486, 0.05]
    """
    if not len(graph):
        return np.empty(0)
    teleport = []
    if personalization is not None:
        if not isinstance(personalization, Mapping):
            raise TypeError(f"personalization must be a mapping, not {type(personalization).__name__}")
        teleport = [
            (graph._number("personalization", vertex), _real("personalization", value))
            for vertex, value in personalization.items()
        ]
        if not teleport:
            raise ValueError("personalization names no vertex")
    ranks, iterations, residual, converged = graph._algorithms.pagerank(
        _real("alpha", alpha), _real("tol", tol), _count("max_iter", max_iter), teleport, threads
    )
    if not converged:
        raise NotConverged(f"after {iterations} iterations the change is {residual:.3g}, and tol is {tol}")
    return graph._by_position(ranks)


@_values("betweenness")
def betweenness_centrality(
    graph,
    k: int | None = None,
    normalized: bool = True,
    endpoints: bool = False,
    seed: int = 0,
    *,
    threads: int | None = None,
) -> np.ndarray:
    """Betweenness centrality: the share of shortest paths, by number of edges, on which each vertex lies.

    Parameters
    ----------
    k : int, optional
        The number of vertices to search from, drawn at random. By default all, which is exact.
    normalized : bool
        Whether to divide by the number of pairs.
    endpoints : bool
        Whether a path counts for its ends, too.
    seed : int
        Of the sample.
    """
    size = len(graph)
    numbers = np.arange(size, dtype=np.uint32) if graph._numbers is None else graph._numbers
    sources = numbers
    if k is not None:
        sources = numbers[_pleach.sample_vertices(size, _count("k", k, 1), _count("seed", seed))]
    return _betweenness(graph, sources, normalized, endpoints, exact=sources.size == size, threads=threads)


def _betweenness(graph, sources, normalized, endpoints, *, exact, threads=None) -> np.ndarray:
    """Betweenness by searches from sources, scaled as NetworkX scales it."""
    size = len(graph)
    scores = graph._by_position(graph._algorithms.betweenness(sources.tolist(), threads))
    if endpoints:
        reached = np.zeros(size)
        own = graph._to_positions(sources.astype(np.int64))
        for source, at in zip(sources.tolist(), own.tolist()):
            distance = graph._by_position(graph._algorithms.bfs(source, False, threads)[0])
            reached += distance > 0
            reached[at] += np.count_nonzero(distance > 0)
        scores = scores + reached
    # Each source stands for so many.
    share = 1.0 if exact else size / sources.size
    pairs = size * (size - 1) if endpoints else (size - 1) * (size - 2)
    if normalized:
        return scores * (share / pairs) if pairs > 0 else scores
    return scores * (share if graph.directed else share / 2)


@_values("core")
def core_number(graph, *, threads: int | None = None) -> np.ndarray:
    """The largest k such that a vertex is in the k-core. Directions and self loops are ignored."""
    return graph._by_position(graph._algorithms.core_number(threads))


@_public
def core_periphery(graph, k: int | None = None, *, threads: int | None = None) -> np.ndarray:
    """Whether each vertex is in the core: its core number is at least `k`, by default the largest that any vertex has."""
    numbers = core_number(graph, threads=threads)
    if k is None:
        k = int(numbers.max(initial=0))
    return numbers >= _count("k", k)


@_values("truss")
def truss_number(graph, *, threads: int | None = None) -> np.ndarray:
    """The largest k such that an edge of the vertex is in the k-truss. Directions are ignored."""
    return graph._by_position(graph._algorithms.truss_number(threads)[0])


@_public
def edge_truss_number(graph, *, threads: int | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The truss number of each edge: columns of the ids of both ends, and of the largest k such that the edge is in the k-truss."""
    version = _version(graph)
    _, src, dst, numbers = version._algorithms.truss_number(threads)
    return version._ids.names(src, 0), version._ids.names(dst, 0), numbers


@_values("clustering")
def clustering(graph, *, threads: int | None = None) -> np.ndarray:
    """The share of pairs of neighbours of each vertex that are joined. Directions are ignored."""
    return graph._by_position(graph._algorithms.clustering(threads)[0])


@_public
def average_clustering(graph, *, threads: int | None = None) -> float:
    """The mean of `clustering`."""
    values = clustering(graph, threads=threads)
    if not values.size:
        raise ValueError("the mean is undefined for a graph without vertices")
    return float(values.mean())


def _simple_degrees(version: Snapshot) -> np.ndarray:
    """Numbers of neighbours other than the vertex itself, directions ignored."""
    if version.directed:
        arcs = version.to_scipy()
        both = (arcs + arcs.T).tocsr()
        both.setdiag(0)
        both.eliminate_zeros()
        return np.diff(both.indptr)
    return version.out_degree() - version._has_loop()


@_values("triangles")
def triangles(graph, *, threads: int | None = None) -> np.ndarray:
    """The number of triangles at each vertex. Directions are ignored.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> int(pl.triangles(pl.read("karate")).sum()) // 3
    45
    """
    degrees = _simple_degrees(graph).astype(np.float64)
    found = clustering(graph, threads=threads) * degrees * (degrees - 1) / 2
    return np.rint(found).astype(np.int64)


@_public
def number_of_triangles(graph, *, threads: int | None = None) -> int:
    """The number of triangles in the graph. Directions are ignored."""
    return _version(graph)._algorithms.triangles(threads)


@_public
def transitivity(graph, *, threads: int | None = None) -> float:
    """The share of paths of two edges that a third one closes. Directions are ignored."""
    version = _version(graph)
    degrees = _simple_degrees(version).astype(np.float64)
    paths = float((degrees * (degrees - 1) / 2).sum())
    return 3 * number_of_triangles(version, threads=threads) / paths if paths else 0.0


@_values("community")
def label_propagation(graph, max_iter: int = 10, *, threads: int | None = None) -> np.ndarray:
    """Communities by label propagation as LDBC Graphalytics defines it, numbered as in `connected_components`."""
    return _numbered(graph, graph._algorithms.label_propagation(_count("max_iter", max_iter), threads)[0])


@_values("color")
def greedy_color(graph, *, threads: int | None = None) -> np.ndarray:
    """A colour for each vertex, from 0 on, such that the ends of no edge have the same."""
    return graph._by_position(graph._algorithms.coloring(threads)[0])


@_public
def maximal_independent_set(graph, seed: int = 0, *, threads: int | None = None) -> np.ndarray:
    """The ids of vertices no two of which are joined, and to which none can be added."""
    version = _version(graph)
    members = version._by_position(version._algorithms.independent_set(_count("seed", seed), threads))
    return version.nodes[members]


@_public
def diameter(graph, *, searches: int = 2**62, threads: int | None = None) -> int:
    """The length of the longest shortest path within a component, by number of edges. Directions are ignored.

    Raises
    ------
    ValueError
        If so many searches do not tell it.
    """
    version = _version(graph)
    least, most, _ = version._algorithms.diameter(_count("searches", searches, 1), threads)
    if least != most:
        raise ValueError(f"after {searches} searches the diameter is known to be {least} to {most}: raise searches")
    return least


@_public
def minimum_spanning_edges(graph, *, threads: int | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The edges of a minimum spanning forest of an undirected graph: columns of both ends and weights.

    Edges without weights weigh 1. Of edges of equal weight those between smaller numbers are taken.
    """
    version = _version(graph)
    if version.directed:
        raise ValueError("a spanning forest is defined for undirected graphs")
    if not version.weighted:
        version = Graph(version, weighted=True).snapshot()
    src, dst, weight = version._algorithms.spanning_forest(threads)
    return version._ids.names(src, 0), version._ids.names(dst, 0), weight


@_public
def local_cluster(
    graph, source: Hashable, *, alpha: float = 0.15, epsilon: float = 1e-6, threads: int | None = None
) -> tuple[np.ndarray, float]:
    """A cluster around a vertex by personalised PageRank (Nibble), at a cost that does not grow with the graph. Directions are ignored.

    Returns
    -------
    members : numpy.ndarray
        Ids of its vertices.
    conductance : float
    """
    version = _version(graph)
    members, conductance = version._algorithms.local_cluster(
        version._number("source", source), _real("alpha", alpha), _real("epsilon", epsilon), threads
    )
    return version._ids.names(members, 0), conductance
