"""Algorithms. Each takes a graph, a snapshot, or anything that `Graph` takes, and is a method of both, too.

Results are NumPy arrays in vertex order, the order of ``graph.nodes``. With ``as_frame=True`` they are frames with the ids of
vertices: of pandas if it is installed, otherwise dictionaries of columns. The GIL is released while an algorithm runs, and Ctrl-C ends
it. All take ``threads``; without it they use what `set_threads` or the environment variable ``PLEACH_THREADS`` says. With
``progress=True`` they show how far they are, if tqdm is installed: how many vertices, edges, searches or iterations are done, and of how
many, where that is known before.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Hashable, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from . import _pleach
from ._given import numbers_of, numbers_of_all, weights_of
from ._graph import Graph, Snapshot
from ._pairs import columns_of_pairs, jaccard, pairs_of
from ._ids import _names
from ._methods import Methods
from ._progress import parts, watched

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

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")], directed=False)
    >>> values = pl.frame(graph, core=pl.core_number(graph))
    >>> list(values["node"]), list(values["core"])
    (['a', 'b', 'c', 'd'], [2, 2, 2, 1])
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


def _showing(function):
    """For functions that run on threads: they show how far they are if they are asked to."""

    @functools.wraps(function)
    def found(*args, progress: bool = False, **kwargs):
        if not progress:
            return function(*args, **kwargs)
        with watched(function.__name__):
            return function(*args, **kwargs)

    own = inspect.signature(function)
    *others, last = own.parameters.values()
    option = inspect.Parameter("progress", inspect.Parameter.KEYWORD_ONLY, default=False, annotation="bool")
    found.__signature__ = own.replace(parameters=[*others, option, last])
    return found


def _public(function):
    """Lists a function, and makes it a method."""
    if "threads" in inspect.signature(function).parameters:
        function = _showing(function)
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

        own = inspect.signature(function)
        *others, last = own.parameters.values()
        option = inspect.Parameter("as_frame", inspect.Parameter.KEYWORD_ONLY, default=False, annotation="bool")
        found.__signature__ = own.replace(parameters=[*others, option, last])
        return _public(found)

    return decorate


def _count(name: str, value, least: int = 0) -> int:
    try:
        value = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}") from None
    if not least <= value < 2**63:
        raise ValueError(f"{name} must be {least} to 2^63 - 1, not {value}")
    return value


def _real(name: str, value) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}") from None
    except OverflowError:
        raise ValueError(f"{name} must be a number that a float holds, not {value}") from None


def _positive(name: str, value) -> float:
    value = _real(name, value)
    if not 0 < value < np.inf:
        raise ValueError(f"{name} must be positive and finite, not {value}")
    return value


def _ids_of(graph: Snapshot, name: str, values) -> list[int]:
    """The numbers of vertices that an argument names."""
    return [graph._number(name, value) for value in _names(name, values).tolist()]


class NotConverged(ArithmeticError):
    """An iteration has not come down to its tolerance within its largest number of steps.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> pl.pagerank([(0, 1), (1, 2)], max_iter=1)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    pleach_graph.algorithms.NotConverged: after 1 iterations the change is ..., and tol is 1e-10
    """


class Search(NamedTuple):
    """What a breadth-first search finds, in vertex order.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> distance, predecessor = pl.bfs([(0, 1), (1, 2)], 0)
    >>> distance.tolist(), predecessor.tolist()
    ([0, 1, 2], [0, 0, 1])
    """

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

    Parameters
    ----------
    source : hashable
        The vertex where paths begin.
    cutoff : int, optional
        The largest number of edges that is looked for.

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
    source : hashable
        The vertex where paths begin.
    cutoff : float, optional
        Longer distances are infinite, too.
    delta : float, optional
        The width of a bucket, in which vertices are settled together. By default chosen by mean weight and degree.

    Raises
    ------
    ValueError
        If a weight is negative.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([("a", "b", 2.0), ("b", "c", 1.0), ("a", "c", 5.0)])
    >>> pl.single_source_dijkstra_path_length(graph, "a").tolist()
    [0.0, 2.0, 3.0]
    >>> pl.single_source_dijkstra_path_length(graph, "a", cutoff=2).tolist()
    [0.0, 2.0, inf]
    """
    number = graph._number("source", source)
    delta = None if delta is None else _positive("delta", delta)
    found = graph._by_position(graph._algorithms.sssp(number, delta, threads))
    if cutoff is not None:
        found[found > _real("cutoff", cutoff)] = np.inf
    return found


@_values("distance")
def k_hop(graph, sources: Iterable[Hashable], radius: int = 1, *, threads: int | None = None) -> np.ndarray:
    """The number of edges from the nearest source to each vertex that is at most `radius` away, -1 for all others.

    Parameters
    ----------
    sources : iterable of hashable
        The vertices to begin at.
    radius : int
        The largest number of edges.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    >>> pl.k_hop(graph, ["a"], radius=2).tolist()
    [0, 1, 2, -1]
    """
    numbers = _ids_of(graph, "sources", sources)
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
    """The strongly connected component of each vertex, numbered as in `connected_components`.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    >>> pl.strongly_connected_components(graph).tolist()
    [0, 0, 0, 1]
    """
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
    """The number of components, directions of edges ignored.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> pl.number_connected_components([(0, 1), (2, 3)])
    2
    """
    return _version(graph)._algorithms.components(False, threads)[1]


@_public
def number_strongly_connected_components(graph, *, threads: int | None = None) -> int:
    """The number of strongly connected components.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    >>> pl.number_strongly_connected_components(graph)
    2
    """
    return _version(graph)._algorithms.components(True, threads)[1]


@_public
def is_connected(graph, *, threads: int | None = None) -> bool:
    """Whether there is one component, directions of edges ignored. A graph without vertices has none, and is a `ValueError`.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> pl.is_connected([(0, 1), (2, 1)]), pl.is_connected([(0, 1), (2, 3)])
    (True, False)
    """
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
    nstart: Mapping[Hashable, float] | None = None,
    weight: bool = False,
    dangling: Mapping[Hashable, float] | None = None,
    *,
    threads: int | None = None,
) -> np.ndarray:
    """PageRank.

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
    nstart : mapping, optional
        A first guess of the ranks. By default all alike.
    weight : bool
        Whether an edge is followed as often as its weight says; by default all edges of a vertex are, alike.
    dangling : mapping, optional
        Weights of the vertices to go to from one without out-edges. By default as for teleports.

    Returns
    -------
    numpy.ndarray
        Ranks in vertex order; they sum to 1.

    Raises
    ------
    NotConverged
        If `max_iter` iterations do not come down to `tol`.

    ValueError
        If `weight` is true and a weight is negative or infinite.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> ranks = pl.pagerank([(0, 1), (1, 0), (2, 1)])
    >>> [round(float(rank), 3) for rank in ranks]
    [0.464, 0.486, 0.05]
    >>> graph = pl.Graph([("a", "b", 3.0), ("a", "c", 1.0), ("b", "a", 1.0), ("c", "a", 1.0)])
    >>> pl.pagerank(graph, weight=True).round(3).tolist()
    [0.486, 0.36, 0.153]
    """
    if not len(graph):
        return np.empty(0)
    if not 0 <= _real("alpha", alpha) < 1:
        raise ValueError(f"alpha must be at least 0 and below 1, not {alpha}")
    given = (("personalization", personalization), ("nstart", nstart), ("dangling", dangling))
    ranks, iterations, residual, converged = graph._algorithms.pagerank(
        float(alpha), _positive("tol", tol), _count("max_iter", max_iter), bool(weight),
        *(weights_of(graph, name, value) for name, value in given), threads,
    )
    if not converged:
        raise NotConverged(f"after {iterations} iterations the change is {residual:.3g}, and tol is {tol}")
    return graph._by_position(ranks)


@_values("betweenness")
def betweenness_centrality(
    graph,
    k: int | None = None,
    normalized: bool = True,
    *,
    endpoints: bool = False,
    seed: int = 0,
    threads: int | None = None,
) -> np.ndarray:
    """Betweenness centrality: the share of shortest paths, by number of edges, on which each vertex lies.

    Parameters
    ----------
    k : int, optional
        The number of vertices to search from, drawn at random. By default all, which is exact. A vertex that is drawn lies inside no path of
        its own search, so its score is scaled by the number of the other searches. If there are none it is NaN, unless `endpoints` is true.
    normalized : bool
        Whether to divide by the number of pairs.
    endpoints : bool
        Whether a path counts for its ends, too.
    seed : int
        Of the sample.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")], directed=False)
    >>> pl.betweenness_centrality(graph).round(3).tolist()
    [0.0, 0.0, 0.667, 0.0]
    """
    size = len(graph)
    numbers = np.arange(size, dtype=np.uint32) if graph._numbers is None else graph._numbers
    sources = numbers
    if k is not None:
        sources = numbers[_pleach.sample_vertices(size, _count("k", k, 1), _count("seed", seed))]
    scores = graph._by_position(graph._algorithms.betweenness(sources.tolist(), threads))
    return _scaled(graph, scores, sources, normalized, endpoints, threads)


def _scaled(graph, scores: np.ndarray, sources: np.ndarray, normalized: bool, endpoints: bool, threads) -> np.ndarray:
    """Betweenness by searches from sources, scaled as NetworkX scales it from 3.6 on."""
    size = len(graph)
    own = graph._to_positions(sources.astype(np.int64))
    if endpoints:
        reached = np.zeros(size)
        with parts("searches", sources.size) as searched:
            for source, at in zip(sources.tolist(), own.tolist()):
                distance = graph._by_position(graph._algorithms.bfs(source, False, threads)[0])
                reached += distance > 0
                reached[at] += np.count_nonzero(distance > 0)
                searched()
        scores = scores + reached
    # The number of vertices at which a path that counts for a vertex may begin.
    ends = size if endpoints else size - 1
    if ends < 2:
        return scores
    searches = np.full(size, float(min(sources.size, ends)))
    if sources.size < size and not endpoints:
        # A source does not lie inside a path of its own search.
        searches[own] -= 1
    with np.errstate(divide="ignore", invalid="ignore"):
        if normalized:
            return scores * (1.0 / (searches * (ends - 1)))
        return scores * (ends / (searches * (1 if graph.directed else 2)))


@_values("core")
def core_number(graph, *, threads: int | None = None) -> np.ndarray:
    """The largest k such that a vertex is in the k-core. Directions and self loops are ignored.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")], directed=False)
    >>> pl.core_number(graph).tolist()
    [2, 2, 2, 1]
    """
    return graph._by_position(graph._algorithms.core_number(threads))


@_public
def core_periphery(graph, k: int | None = None, *, threads: int | None = None) -> np.ndarray:
    """Whether each vertex is in the core: its core number is at least `k`, by default the largest that any vertex has.

    Parameters
    ----------
    k : int, optional
        The least core number of the core.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")], directed=False)
    >>> pl.core_periphery(graph).tolist()
    [True, True, True, False]
    """
    numbers = core_number(graph, threads=threads)
    if k is None:
        k = int(numbers.max(initial=0))
    return numbers >= _count("k", k)


@_values("truss")
def truss_number(graph, *, threads: int | None = None) -> np.ndarray:
    """The largest k such that an edge of the vertex is in the k-truss. Directions are ignored.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")], directed=False)
    >>> pl.truss_number(graph).tolist()
    [3, 3, 3, 2]
    """
    return graph._by_position(graph._algorithms.truss_number(threads)[0])


@_public
def edge_truss_number(graph, *, threads: int | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The truss number of each edge: columns of the ids of both ends, and of the largest k such that the edge is in the k-truss.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")], directed=False)
    >>> [column.tolist() for column in pl.edge_truss_number(graph)]
    [['a', 'a', 'b', 'c'], ['b', 'c', 'c', 'd'], [3, 3, 3, 2]]
    """
    version = _version(graph)
    _, src, dst, numbers = version._algorithms.truss_number(threads)
    return version._ids.names(src, 0), version._ids.names(dst, 0), numbers


@_values("clustering")
def clustering(graph, *, threads: int | None = None) -> np.ndarray:
    """The share of pairs of neighbours of each vertex that are joined. Directions are ignored.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")], directed=False)
    >>> pl.clustering(graph).round(3).tolist()
    [1.0, 1.0, 0.333, 0.0]
    """
    return graph._by_position(graph._algorithms.clustering(threads)[0])


@_public
def average_clustering(graph, *, count_zeros: bool = True, threads: int | None = None) -> float:
    """The mean of `clustering`.

    Parameters
    ----------
    count_zeros : bool
        Whether vertices count that are in no triangle.

    Raises
    ------
    ValueError
        If no vertex counts.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([(0, 1), (1, 2), (2, 0), (2, 3)], directed=False)
    >>> round(pl.average_clustering(graph), 3), round(pl.average_clustering(graph, count_zeros=False), 3)
    (0.583, 0.778)
    """
    values = clustering(graph, threads=threads)
    if not count_zeros:
        values = values[values != 0]
    if not values.size:
        raise ValueError("the mean is undefined where no vertex counts")
    return float(values.mean())


def _simple_degrees(version: Snapshot) -> np.ndarray:
    """Numbers of neighbours other than the vertex itself, directions ignored."""
    if not version.directed:
        return version.out_degree() - version._has_loop()
    src, dst, _ = version._core.edges()
    joins = src != dst
    src, dst = src[joins], dst[joins]
    # Of a pair that is joined both ways, each vertex would count the other twice.
    back = ~np.isnan(version._core.weights(dst, src))
    rows = version._core.num_rows
    degrees = np.bincount(src, minlength=rows) + np.bincount(dst, minlength=rows) - np.bincount(src[back], minlength=rows)
    return version._by_position(degrees)


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
    """The number of triangles in the graph. Directions are ignored.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> pl.number_of_triangles(pl.read("karate"))
    45
    """
    return _version(graph)._algorithms.triangles(threads)


@_public
def transitivity(graph, *, threads: int | None = None) -> float:
    """The share of paths of two edges that a third one closes. Directions are ignored.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> round(pl.transitivity(pl.read("karate")), 3)
    0.256
    """
    version = _version(graph)
    degrees = _simple_degrees(version).astype(np.float64)
    paths = float((degrees * (degrees - 1) / 2).sum())
    return 3 * number_of_triangles(version, threads=threads) / paths if paths else 0.0


@_values("community")
def label_propagation(graph, max_iter: int = 10, *, threads: int | None = None) -> np.ndarray:
    """Communities by label propagation as LDBC Graphalytics defines it, numbered as in `connected_components`.

    Parameters
    ----------
    max_iter : int
        The number of rounds.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)], directed=False)
    >>> pl.label_propagation(graph).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    return _numbered(graph, graph._algorithms.label_propagation(_count("max_iter", max_iter), threads)[0])


@_values("color")
def greedy_color(graph, *, threads: int | None = None) -> np.ndarray:
    """A colour for each vertex, from 0 on, such that the ends of no edge have the same.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")], directed=False)
    >>> pl.greedy_color(graph).tolist()
    [0, 1, 2, 0]
    """
    return graph._by_position(graph._algorithms.coloring(threads)[0])


@_public
def maximal_independent_set(graph, *, seed: int = 0, threads: int | None = None) -> np.ndarray:
    """The ids of vertices no two of which are joined, and to which none can be added.

    Parameters
    ----------
    seed : int
        Of the random numbers by which vertices are chosen.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([(0, 1), (2, 3), (4, 5)])
    >>> pl.maximal_independent_set(graph).size
    3
    """
    version = _version(graph)
    members = version._by_position(version._algorithms.independent_set(_count("seed", seed), threads))
    return version.nodes[members]


@_public
def diameter(graph, *, searches: int = 2**62, threads: int | None = None) -> int:
    """The length of the longest shortest path within a component, by number of edges. Directions are ignored.

    Parameters
    ----------
    searches : int
        The largest number of breadth-first searches.

    Raises
    ------
    ValueError
        If so many searches do not tell it.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> pl.diameter(pl.read("karate"))
    5
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

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([("a", "b", 2.0), ("b", "c", 1.0), ("a", "c", 5.0)], directed=False)
    >>> [column.tolist() for column in pl.minimum_spanning_edges(graph)]
    [['b', 'a'], ['c', 'b'], [1.0, 2.0]]
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

    Parameters
    ----------
    source : hashable
        The vertex that the cluster is around.
    alpha : float
        The probability of going back to it.
    epsilon : float
        How exact the ranks are that the cluster is chosen by; the smaller, the more of the graph is looked at.

    Returns
    -------
    members : numpy.ndarray
        Ids of its vertices.
    conductance : float

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5)], directed=False)
    >>> members, conductance = pl.local_cluster(graph, 0)
    >>> sorted(members.tolist()), round(conductance, 3)
    ([0, 1, 2], 0.143)
    """
    version = _version(graph)
    if not 0 < _real("alpha", alpha) < 1:
        raise ValueError(f"alpha must be above 0 and below 1, not {alpha}")
    members, conductance = version._algorithms.local_cluster(
        version._number("source", source), float(alpha), _positive("epsilon", epsilon), threads
    )
    return version._ids.names(members, 0), conductance


@_values("closeness")
def closeness_centrality(
    graph, *, distance: bool = False, wf_improved: bool = True, threads: int | None = None
) -> np.ndarray:
    """Closeness centrality, by the length of shortest paths to each vertex.

    Parameters
    ----------
    distance : bool
        Whether weights of edges are lengths. By default each edge has length 1.
    wf_improved : bool
        Whether it is scaled by the share of vertices from which there is a path.

    Raises
    ------
    ValueError
        If `distance` is true and a weight is negative or infinite.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> pl.closeness_centrality([(0, 1), (1, 2)]).round(3).tolist()
    [0.0, 0.5, 0.667]
    >>> graph = pl.Graph([("a", "b", 2.0), ("b", "c", 1.0), ("a", "c", 5.0)], directed=False)
    >>> pl.closeness_centrality(graph, distance=True).round(3).tolist()
    [0.4, 0.667, 0.5]
    """
    return graph._by_position(_pleach.closeness(graph._core, bool(wf_improved), bool(distance), threads)[0])


@_values("harmonic")
def harmonic_centrality(graph, *, distance: bool = False, threads: int | None = None) -> np.ndarray:
    """The sum of inverse lengths of shortest paths to each vertex.

    Parameters
    ----------
    distance : bool
        Whether weights of edges are lengths. By default each edge has length 1.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> pl.harmonic_centrality([(0, 1), (1, 2)]).tolist()
    [0.0, 1.0, 1.5]
    >>> pl.harmonic_centrality([(0, 1, 2.0), (1, 2, 0.5)], distance=True).tolist()
    [0.0, 0.5, 2.4]
    """
    return graph._by_position(_pleach.closeness(graph._core, True, bool(distance), threads)[1])


def _converged(found, max_iter: int, tol: float):
    if not found[-1]:
        raise NotConverged(f"{max_iter} iterations do not come down to tol, which is {tol}")
    return found


def _weighted(graph: Snapshot, weight) -> bool:
    """Whether weights are read: by default if edges have them."""
    return graph.weighted if weight is None else bool(weight)


@_values("eigenvector")
def eigenvector_centrality(
    graph,
    max_iter: int = 1000,
    tol: float = 1e-9,
    nstart: Mapping[Hashable, float] | None = None,
    weight: bool | None = None,
    *,
    threads: int | None = None,
) -> np.ndarray:
    """Eigenvector centrality: each vertex is as important as those that lead to it, together. The Euclidean norm is 1.

    Parameters
    ----------
    max_iter : int
        The largest number of iterations.
    tol : float
        The mean change of a vertex at which it ends.
    nstart : mapping, optional
        A first guess. By default all alike.
    weight : bool, optional
        Whether weights are read. By default if edges have them.

    Raises
    ------
    NotConverged
        If `max_iter` iterations do not come down to `tol`.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")], directed=False)
    >>> pl.eigenvector_centrality(graph).round(3).tolist()
    [0.523, 0.523, 0.612, 0.282]
    """
    if not len(graph):
        return np.empty(0)
    start = None if nstart is None else numbers_of(graph, "nstart", nstart)
    if start is not None and not start[1].sum():
        raise ValueError("nstart must not sum to 0")
    found = _pleach.eigenvector(
        graph._core, _positive("tol", tol), _count("max_iter", max_iter), start, _weighted(graph, weight), threads
    )
    return graph._by_position(_converged(found, max_iter, tol)[0])


@_values("katz")
def katz_centrality(
    graph,
    alpha: float = 0.1,
    beta: float | Mapping[Hashable, float] = 1.0,
    max_iter: int = 1000,
    tol: float = 1e-9,
    nstart: Mapping[Hashable, float] | None = None,
    normalized: bool = True,
    weight: bool | None = None,
    *,
    threads: int | None = None,
) -> np.ndarray:
    """Katz centrality: `beta`, and `alpha` times that of those that lead to a vertex.

    Parameters
    ----------
    alpha : float
        How much of a neighbour's centrality counts: below the inverse of the largest eigenvalue.
    beta : float or mapping
        What each vertex has by itself; a mapping has a number for each.
    max_iter : int
        The largest number of iterations.
    tol : float
        The mean change of a vertex at which it ends, as a part of the largest `beta`.
    nstart : mapping, optional
        A first guess. By default 0.
    normalized : bool
        Whether they are scaled to the Euclidean norm 1.
    weight : bool, optional
        Whether weights are read. By default if edges have them.

    Raises
    ------
    NotConverged
        If `alpha` is not below the inverse of the largest eigenvalue, or `max_iter` is too small.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")], directed=False)
    >>> pl.katz_centrality(graph).round(3).tolist()
    [0.501, 0.501, 0.542, 0.451]
    """
    if not len(graph):
        return np.empty(0)
    betas = numbers_of_all(graph, "beta", beta) if isinstance(beta, Mapping) else None
    start = None if nstart is None else numbers_of(graph, "nstart", nstart)
    try:
        found = _pleach.katz(
            graph._core, _real("alpha", alpha), _real("beta", beta) if betas is None else 0.0, betas, _positive("tol", tol),
            _count("max_iter", max_iter), start, bool(normalized), _weighted(graph, weight), threads,
        )
    except OverflowError as error:
        raise NotConverged(str(error)) from None
    return graph._by_position(_converged(found, max_iter, tol)[0])


class Hits(NamedTuple):
    """Hubs and authorities, in vertex order; each sums to 1.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> pl.hits([(0, 1)]).hubs.tolist()
    [1.0, 0.0]
    """

    #: How good each vertex is as a hub.
    hubs: np.ndarray
    #: How good each vertex is as an authority.
    authorities: np.ndarray


@_public
def hits(
    graph, max_iter: int = 1000, tol: float = 1e-9, *, weight: bool | None = None, threads: int | None = None
) -> Hits:
    """Hubs and authorities: good hubs lead to good authorities.

    Parameters
    ----------
    max_iter : int
        The largest number of iterations.
    tol : float
        The mean change of a vertex at which it ends.
    weight : bool, optional
        Whether weights are read. By default if edges have them.

    Raises
    ------
    NotConverged
        If `max_iter` iterations do not come down to `tol`.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> found = pl.hits([("a", "c"), ("b", "c"), ("b", "d")])
    >>> found.hubs.round(3).tolist(), found.authorities.round(3).tolist()
    ([0.382, 0.0, 0.618, 0.0], [0.0, 0.618, 0.0, 0.382])
    """
    version = _version(graph)
    if not len(version):
        return Hits(np.empty(0), np.empty(0))
    found = _pleach.hits(
        version._core, _positive("tol", tol), _count("max_iter", max_iter), _weighted(version, weight), threads
    )
    _converged(found, max_iter, tol)
    # No zero is negative.
    return Hits(version._by_position(found[0]) + 0.0, version._by_position(found[1]) + 0.0)


def _modules(graph: Snapshot, resolution, threshold, seed, rounds, weight, threads, levels=None):
    if graph.directed:
        raise ValueError("communities by modularity are defined for undirected graphs: pass Graph(..., directed=False)")
    for name, value in (("resolution", resolution), ("threshold", threshold)):
        if not 0 <= _real(name, value) < np.inf:
            raise ValueError(f"{name} must be finite and not negative, not {value}")
    return _pleach.louvain(
        graph._core, float(resolution), float(threshold), _count("seed", seed), rounds,
        None if levels is None else _count("max_level", levels, 1), _weighted(graph, weight), threads,
    )


@_values("community")
def louvain_communities(
    graph,
    weight: bool | None = None,
    resolution: float = 1.0,
    threshold: float = 1e-7,
    max_level: int | None = None,
    *,
    seed: int = 0,
    threads: int | None = None,
) -> np.ndarray:
    """Communities of high modularity by Louvain, numbered as in `connected_components`.

    Parameters
    ----------
    weight : bool, optional
        Whether weights are read. By default if edges have them.
    resolution : float
        Above 1, communities are more and smaller.
    threshold : float
        The gain of modularity below which it ends.
    max_level : int, optional
        The largest number of levels, each of which merges communities of the one before.
    seed : int
        Of the order in which vertices are visited.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5)], directed=False)
    >>> pl.louvain_communities(graph).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    return _numbered(graph, _modules(graph, resolution, threshold, seed, None, weight, threads, max_level)[0])


@_values("community")
def leiden_communities(
    graph,
    weight: bool | None = None,
    resolution: float = 1.0,
    max_level: int | None = None,
    *,
    threshold: float = 1e-7,
    n_iterations: int = 2,
    seed: int = 0,
    threads: int | None = None,
) -> np.ndarray:
    """Communities of high modularity by Leiden, numbered as in `connected_components`. Each of them is connected.

    Parameters
    ----------
    weight, resolution, max_level, threshold, seed
        As for `louvain_communities`.
    n_iterations : int
        How often the search goes from vertices to communities, each time from the communities that it has found. More find more modularity; it
        ends earlier where one gains no more than `threshold`.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5)], directed=False)
    >>> pl.leiden_communities(graph).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    rounds = _count("n_iterations", n_iterations, 1)
    return _numbered(graph, _modules(graph, resolution, threshold, seed, rounds, weight, threads, max_level)[0])


@_public
def modularity(graph, communities, weight: bool | None = None, resolution: float = 1.0) -> float:
    """The modularity of communities of an undirected graph.

    Parameters
    ----------
    communities : array_like of int
        The number of the community of each vertex, in vertex order.
    weight : bool, optional
        Whether weights are read. By default if edges have them.
    resolution : float
        Above 1, small communities are better.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5)], directed=False)
    >>> round(pl.modularity(graph, [0, 0, 0, 1, 1, 1]), 3)
    0.357
    """
    version = _version(graph)
    if version.directed:
        raise ValueError("modularity is defined for undirected graphs")
    labels = np.asarray(communities)
    if labels.shape != (len(version),) or labels.dtype.kind not in "iu":
        raise ValueError("communities must be integers, one for each vertex")
    found, labels = np.unique(labels, return_inverse=True)
    src, dst, values = version._core.edges()
    src, dst = version._to_positions(src.astype(np.int64)), version._to_positions(dst.astype(np.int64))
    if values is None or not _weighted(version, weight):
        values = np.ones(src.size)
    total = 2 * values.sum()
    if not total:
        return 0.0
    inside = 2 * values[labels[src] == labels[dst]].sum()
    whole = np.bincount(labels[src], values, found.size) + np.bincount(labels[dst], values, found.size)
    return float(inside / total - _real("resolution", resolution) * ((whole / total) ** 2).sum())


@_public
def bridges(graph, *, threads: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The edges without which a component falls apart, in two columns of ids. Directions are ignored.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> [ends.tolist() for ends in pl.bridges([(0, 1), (1, 2), (2, 0), (2, 3)])]
    [[2], [3]]
    """
    version = _version(graph)
    src, dst, _ = _pleach.cuts(version._core, threads)
    return version._ids.names(src, 0), version._ids.names(dst, 0)


@_public
def articulation_points(graph, *, threads: int | None = None) -> np.ndarray:
    """The ids of vertices without which a component falls apart. Directions are ignored.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")], directed=False)
    >>> pl.articulation_points(graph).tolist()
    ['c']
    """
    version = _version(graph)
    return version.nodes[version._by_position(_pleach.cuts(version._core, threads)[2])]


class CycleError(ValueError):
    """The graph has a cycle, and so no topological order.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> pl.topological_sort([("a", "a")])
    Traceback (most recent call last):
    ...
    pleach_graph.algorithms.CycleError: the graph has a cycle: vertex 'a' is on one
    """


@_public
def topological_sort(graph, *, threads: int | None = None) -> np.ndarray:
    """The ids of the vertices of a directed graph in an order in which every edge leads forward.

    Raises
    ------
    CycleError
        If there is no such order; names a vertex of a cycle.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> pl.topological_sort([("shirt", "tie"), ("tie", "coat")]).tolist()
    ['shirt', 'tie', 'coat']
    """
    version = _version(graph)
    return version._ids.names(_topological(version, threads)[0], 0)


@_values("generation")
def topological_generations(graph, *, threads: int | None = None) -> np.ndarray:
    """The number of edges on the longest path to each vertex of an acyclic directed graph.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> pl.topological_generations([("shirt", "tie"), ("tie", "coat"), ("shirt", "coat")]).tolist()
    [0, 1, 2]
    """
    return graph._by_position(_topological(graph, threads)[1])


def _topological(version: Snapshot, threads):
    order, generations, cycle = _pleach.topological(version._core, threads)
    if cycle is not None:
        raise CycleError(f"the graph has a cycle: vertex {version._ids.name(cycle)!r} is on one")
    return order, generations


@_public
def descendants(graph, source: Hashable, *, threads: int | None = None) -> np.ndarray:
    """The ids of the vertices that can be reached from one, without it.

    Parameters
    ----------
    source : hashable
        The vertex where paths begin.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    >>> pl.descendants(graph, "b").tolist()
    ['a', 'c', 'd']
    """
    return _reached(_version(graph), source, False, threads)


@_public
def ancestors(graph, source: Hashable, *, threads: int | None = None) -> np.ndarray:
    """The ids of the vertices from which one can be reached, without it.

    Parameters
    ----------
    source : hashable
        The vertex where paths end.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    >>> pl.ancestors(graph, "d").tolist()
    ['a', 'b', 'c']
    """
    return _reached(_version(graph), source, True, threads)


def _reached(version: Snapshot, source, reverse: bool, threads) -> np.ndarray:
    return version.nodes[bfs(version, source, reverse=reverse and version.directed, threads=threads).distance > 0]


@_public
def similarity(graph, u, v, *, threads: int | None = None) -> dict[str, np.ndarray]:
    """How alike the neighbourhoods of pairs of vertices are, by out-edges.

    Parameters
    ----------
    u, v : array_like
        Ids of the vertices of each pair.

    Returns
    -------
    dict of numpy.ndarray
        ``common``, the number of common neighbours; ``jaccard``, their share of all; ``overlap``, their share of the smaller number.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")], directed=False)
    >>> {name: column.round(2).tolist() for name, column in pl.similarity(graph, ["a", "a"], ["b", "d"]).items()}
    {'common': [1, 1], 'jaccard': [0.33, 0.5], 'overlap': [0.5, 1.0]}
    """
    version = _version(graph)
    found = _pleach.similarity(version._core, *pairs_of(version, u, v), threads)
    return dict(zip(("common", "jaccard", "overlap"), found))


@_public
def jaccard_coefficient(graph, ebunch: Iterable[tuple[Hashable, Hashable]], *, threads: int | None = None) -> np.ndarray:
    """The share of the neighbours of two vertices that they have in common, for each pair. As in NetworkX, the two themselves are not common
    neighbours, which they may be to `similarity` if they have self loops.

    Parameters
    ----------
    ebunch : iterable of pairs
        The vertices of each pair. `similarity` takes them in two columns.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([("a", "b"), ("c", "b"), ("c", "d")], directed=False)
    >>> pl.jaccard_coefficient(graph, [("a", "c"), ("b", "d")]).tolist()
    [0.5, 0.5]
    """
    version = _version(graph)
    return jaccard(version, *pairs_of(version, *columns_of_pairs("ebunch", ebunch)), threads)


class Paths(NamedTuple):
    """Shortest paths by weight from a source, in vertex order.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> paths = pl.single_source_dijkstra([("a", "b"), ("b", "c")], "a")
    >>> [paths.to(position) for position in range(3)]
    [['a'], ['a', 'b'], ['a', 'b', 'c']]
    """

    #: The length of a shortest path to each vertex, infinite where there is none.
    distance: np.ndarray
    #: The position of the vertex before it on such a path; the source's own is its own, and -1 stands where there is no path.
    predecessor: np.ndarray
    #: The ids of all vertices.
    nodes: np.ndarray

    def to(self, position: int) -> list:
        """The ids of the vertices on a shortest path to the vertex at a position; none if there is no path."""
        if self.predecessor[position] < 0:
            return []
        path = [position]
        while self.predecessor[path[-1]] != path[-1]:
            path.append(int(self.predecessor[path[-1]]))
        return [self.nodes[at] for at in reversed(path)]


@_public
def single_source_dijkstra(
    graph, source: Hashable, *, cutoff: float | None = None, reverse: bool = False, threads: int | None = None
) -> Paths:
    """Shortest paths by weight from a vertex, and their lengths. Edges without weights have length 1.

    Parameters
    ----------
    source : hashable
        The vertex where paths begin.
    cutoff : float, optional
        Longer paths are left out.
    reverse : bool
        Whether edges are followed backwards.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([("a", "b", 1), ("b", "c", 1), ("a", "c", 5)])
    >>> paths = pl.single_source_dijkstra(graph, "a")
    >>> paths.distance.tolist(), paths.to(graph.position("c"))
    ([0.0, 1.0, 2.0], ['a', 'b', 'c'])
    """
    version = _version(graph)
    number = version._number("source", source)
    if version.weighted:
        distance, before = _pleach.paths(version._core, number, reverse, threads)
        distance, before = version._by_position(distance), version._to_positions(version._by_position(before))
    else:
        found = bfs(version, source, reverse=reverse, threads=threads)
        distance, before = np.where(found.distance < 0, np.inf, found.distance), found.predecessor
    if cutoff is not None:
        far = distance > _real("cutoff", cutoff)
        distance[far], before[far] = np.inf, -1
    return Paths(distance, before, version.nodes)


@_public
def random_walks(
    graph,
    starts=None,
    length: int = 10,
    *,
    p: float = 1.0,
    q: float = 1.0,
    seed: int = 0,
    weight: bool | None = None,
    threads: int | None = None,
) -> np.ndarray:
    """Random walks as node2vec takes them: one from each start, or from each vertex.

    Parameters
    ----------
    starts : array_like, optional
        Ids to start from.
    length : int
        Edges of a walk.
    p, q : float
        The larger `p`, the less a walk returns at once; the larger `q`, the nearer it stays.
    seed : int
        Of the random numbers.
    weight : bool, optional
        Whether edges are taken as often as their weights say. By default if edges have them.

    Returns
    -------
    numpy.ndarray
        Positions of vertices, a row for each walk; -1 behind the end of a walk that could not go on.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> pl.random_walks([(0, 1), (1, 2)], [0], length=3).tolist()
    [[0, 1, 2, -1]]
    """
    version = _version(graph)
    if starts is None:
        numbers = np.arange(version._core.num_rows, dtype=np.uint32) if version._numbers is None else version._numbers
    else:
        numbers = np.array(_ids_of(version, "starts", starts), dtype=np.uint32)
    length = _count("length", length)
    found = _pleach.walks(
        version._core, numbers, length, _positive("p", p), _positive("q", q), _count("seed", seed), _weighted(version, weight), threads
    )
    return version._to_positions(found).reshape(numbers.size, length + 1)
