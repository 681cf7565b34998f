"""The backend `pleach` of NetworkX.

A graph is converted once. NetworkX keeps the conversion; before each call `can_run` compares the graph with what was converted, because NetworkX
does not notice every change. Whatever a function here does not take
(multigraphs, weights where an algorithm has none, an argument it does not know) is left to NetworkX: `can_run` says why.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import networkx as nx
import numpy as np

import pleach_graph as pl
from pleach_graph import _pleach, _sources

from ._names import FUNCTIONS

#: Vertices and edges of a graph from which on it is worth to convert it.
LEAST_SIZE = 2000


class BackendGraph:
    """A graph as algorithms here read it, and the graph of NetworkX's that it was."""

    __networkx_backend__ = "pleach"

    def __init__(self, snapshot: pl.Snapshot, original: nx.Graph, weight: str | None, *, integral: bool, largest: int) -> None:
        self.snapshot = snapshot
        self.nodes = list(original)
        #: Whether all weights are integers, and so are distances.
        self.integral = integral
        #: The largest magnitude of the weights that are integers. Floats hold those up to 2^53.
        self.largest = largest
        self._weight = weight
        self._original = original
        self._state = _state(original, weight)

    def is_directed(self) -> bool:
        """Whether edges have a direction."""
        return self.snapshot.directed

    def is_multigraph(self) -> bool:
        """Never."""
        return False

    def number_of_nodes(self) -> int:
        """The number of nodes."""
        return len(self.nodes)

    def number_of_edges(self) -> int:
        """The number of edges."""
        return self.snapshot.number_of_edges()

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self):
        return iter(self.nodes)

    def __contains__(self, node) -> bool:
        return node in self.snapshot

    def by_node(self, values: np.ndarray) -> dict:
        """Values in vertex order, by node."""
        return dict(zip(self.nodes, values.tolist()))

    def weighted_by(self, weight: str) -> "BackendGraph":
        """The graph with the weights that an attribute holds: itself, if these are its own."""
        return self if weight == self._weight else _convert(self._original, weight, 1)

    def is_up_to_date(self) -> bool:
        """Whether the graph that was converted is still as it was."""
        return self._state is not None and self._state == _state(self._original, self._weight)


def _state(graph: nx.Graph, weight: str | None) -> tuple | None:
    """Nodes, ends of edges and weights, to be compared: a small share of the time of a conversion. ``None`` for a view, whose edges are made
    when somebody reads them."""
    rows = _sources.rows_of(graph)
    if rows is None:
        return None
    ends = list(itertools.chain.from_iterable(rows))
    if weight is None:
        return list(graph), list(map(len, rows)), ends, None
    data = itertools.chain.from_iterable(map(dict.values, rows))
    return list(graph), list(map(len, rows)), ends, list(map(dict.get, data, itertools.repeat(weight)))


def _convert(graph: nx.Graph, weight: str | None, default: float) -> BackendGraph:
    if graph.is_multigraph():
        raise NotImplementedError("multigraphs are not supported")
    integral, largest = True, 1
    if weight is not None:
        values = [data.get(weight, default) for data in _sources.edge_data(graph)]
        kinds = set(map(type, values))
        if not all(issubclass(kind, (int, float, np.number)) for kind in kinds):
            raise NotImplementedError(f"the attribute {weight!r} of an edge is no number")
        whole = {kind for kind in kinds if issubclass(kind, (int, np.integer))}
        integral = whole == kinds
        integers = values if integral else [value for value in values if type(value) in whole]
        if integers:
            largest = max(int(max(integers)), -int(min(integers)))
    try:
        edges = _sources.from_networkx(graph, weight, weight is not None, default)
    except (TypeError, ValueError, OverflowError) as error:
        raise NotImplementedError(str(error)) from error
    ours = pl.Graph.__new__(pl.Graph)
    ours._build(edges, None, None, "last", "paged,packed", None, None)
    return BackendGraph(ours.snapshot(), graph, weight, integral=integral, largest=largest)


def convert_from_nx(
    graph,
    *,
    edge_attrs: dict | None = None,
    node_attrs: dict | None = None,
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = False,
    name: str | None = None,
    graph_name: str | None = None,
    **_: Any,
) -> BackendGraph:
    """Converts a graph of NetworkX's. Of edges the one attribute that an algorithm reads becomes the weight."""
    if isinstance(graph, BackendGraph):
        return graph
    weight, default = next(iter(edge_attrs.items())) if edge_attrs else (None, 1)
    if edge_attrs and len(edge_attrs) > 1:
        raise NotImplementedError("an edge has one weight")
    if preserve_edge_attrs:
        weight, default = "weight", 1
        if not any("weight" in data for data in _sources.edge_data(graph)):
            weight = None
    return _convert(graph, weight, 1 if default is None else default)


def _forget_if_stale(graph) -> None:
    """Drops the conversions that NetworkX keeps with a graph, if the graph has changed since in a way that NetworkX does not notice: by its
    dictionaries, or those of the graph that it is a view of."""
    kept = (getattr(graph, "__networkx_cache__", None) or {}).get("backends", {})
    for key, found in list(kept.get("pleach", {}).items()):
        if not isinstance(found, BackendGraph) or not found.is_up_to_date():
            kept["pleach"].pop(key, None)


def convert_to_nx(result, *, name: str | None = None):
    """Converts a graph back, with all its attributes; everything else stays as it is."""
    return result._original if isinstance(result, BackendGraph) else result


# Which calls are for us.


def _unweighted(graph, weight) -> bool | str:
    """Whether no edge has the attribute."""
    if weight is None:
        return True
    if isinstance(graph, BackendGraph):
        return True if not graph.snapshot.weighted else "the algorithm reads no weights"
    if not isinstance(weight, str):
        return "weights are computed by a function"
    if any(weight in data for data in _sources.edge_data(graph)):
        return "the algorithm reads no weights"
    return True


def _has(graph, *nodes) -> bool | str:
    """Whether nodes are there. NetworkX raises its own error if not."""
    try:
        return True if all(node in graph for node in nodes) else "a node is not in the graph"
    except TypeError:
        return "a node is not hashable"


def _not_empty(graph) -> bool | str:
    return True if len(graph) else "the graph has no nodes"


def _all(*answers: bool | str) -> bool | str:
    return next((answer for answer in answers if answer is not True), True)


def _number(name: str, value, *, least: float = -math.inf, above: float = -math.inf, below: float = math.inf) -> bool | str:
    """Whether an argument is a number that a float holds, and within bounds."""
    try:
        fits = isinstance(value, (int, float, np.integer, np.floating)) and math.isfinite(value)
    except OverflowError:
        fits = False
    return True if fits and least <= value and above < value < below else f"{name} is not a finite number in the range that is computed here"


def _undirected(graph) -> bool | str:
    return "directed graphs have another definition" if graph.is_directed() else True


def _no_loops(graph) -> bool | str:
    loops = graph.snapshot._has_loop().any() if isinstance(graph, BackendGraph) else nx.number_of_selfloops(graph)
    return "the graph has self loops" if loops else True


def _has_edges(graph) -> bool | str:
    return True if graph.number_of_edges() else "the graph has no edges"


class Backend:
    """The functions of the backend, as NetworkX finds them."""

    convert_from_nx = staticmethod(convert_from_nx)
    convert_to_nx = staticmethod(convert_to_nx)

    @staticmethod
    def can_run(name: str, args: tuple, kwargs: dict) -> bool | str:
        """Whether a call is for us: True, or the reason why not."""
        function = getattr(Backend, name, None)
        if function is None or name not in FUNCTIONS:
            return f"{name} is not there"
        graph = args[0] if args else next(iter(kwargs.values()), None)
        if graph is None or not hasattr(graph, "is_multigraph"):
            return "the graph is not the first argument"
        if graph.is_multigraph():
            return "multigraphs are not supported"
        _forget_if_stale(graph)
        if isinstance(graph, nx.Graph) and type(graph).neighbors not in (nx.Graph.neighbors, nx.DiGraph.neighbors):
            return "the type of the graph has neighbours of its own"
        check = CHECKS.get(name)
        if check is None:
            return True
        try:
            return check(*args, **kwargs)
        except TypeError as error:
            return str(error)

    @staticmethod
    def should_run(name: str, args: tuple, kwargs: dict) -> bool | str:
        """Whether the graph is so large that its conversion is worth it: True, or the reason why not."""
        graph = args[0] if args else next(iter(kwargs.values()))
        size = len(graph) + graph.number_of_edges()
        config = getattr(nx.config.backends, "pleach", None)
        least = getattr(config, "least_size", LEAST_SIZE)
        if isinstance(graph, BackendGraph) or size >= least:
            return True
        return f"the graph has {size} nodes and edges, fewer than {least}: to convert it would take longer"


#: By name, what says whether a call is for us. It takes the arguments of the function.
CHECKS: dict = {}


def implements(check=None, name: str | None = None):
    """Makes a function one of the backend's."""

    def decorate(function):
        called = name or function.__name__
        setattr(Backend, called, staticmethod(function))
        if check is not None:
            CHECKS[called] = check
        return function

    return decorate


def _sets(graph: BackendGraph, labels: np.ndarray):
    """The sets of nodes with the same label, in the order of their first nodes."""
    if not labels.size:
        return
    order = np.argsort(labels, kind="stable")
    cuts = np.flatnonzero(np.diff(labels[order])) + 1
    for part in np.split(order, cuts):
        yield {graph.nodes[at] for at in part.tolist()}


# Importance.


def _guess(G, name: str, given, *, whole: bool = False) -> bool | str:
    """Whether a mapping gives nodes numbers that a power iteration can begin with."""
    if given is None:
        return True
    if not isinstance(given, dict) or _has(G, *given) is not True:
        return f"{name} names something that is no node"
    if not all(_number(name, value) is True for value in given.values()):
        return f"{name} holds what is no number"
    if whole and len(given) != len(G):
        return f"{name} leaves nodes out"
    return True


def _shares(G, name: str, given) -> bool | str:
    """Whether a mapping gives nodes weights, not all of them 0."""
    if given is not None and (_guess(G, name, given) is not True or min(given.values(), default=0) < 0 or not any(given.values())):
        return f"{name} names nodes of the graph, with weights that are not all 0"
    return True


def _iterations(max_iter, fewest: int = 5, most: int = 2**63 - 1) -> bool | str:
    """Whether the limit of iterations is one that the core can keep: not below `fewest`, and at most what it counts to."""
    counted = isinstance(max_iter, (int, np.integer)) and fewest <= max_iter <= most
    return True if counted else "a limit of iterations this small or large is left to NetworkX"


def _pagerank_check(
    G, alpha=0.85, personalization=None, max_iter=100, tol=1e-6, nstart=None, weight="weight", dangling=None
):
    return _all(
        _number("alpha", alpha, least=0, below=1),
        _number("tol", tol, above=0),
        _iterations(max_iter),
        _not_empty(G),
        _shares(G, "personalization", personalization),
        _shares(G, "nstart", nstart),
        _shares(G, "dangling", dangling),
        _weight_or_none(weight),
    )


@implements(_pagerank_check)
def pagerank(G, alpha=0.85, personalization=None, max_iter=100, tol=1e-6, nstart=None, weight="weight", dangling=None):
    """PageRank."""
    G, weighted = _weights(G, weight)
    if weighted and _weight_range(G)[0] < 0:
        raise NotImplementedError("negative weights are left to NetworkX")
    try:
        # NetworkX stops when the mean change of a node is below tol.
        most = max(len(G) * tol, 1e-14)
        ranks = pl.pagerank(G.snapshot, alpha, personalization, max_iter, most, nstart, weighted, dangling)
    except pl.NotConverged as error:
        raise nx.PowerIterationFailedConvergence(max_iter) from error
    return G.by_node(ranks)


@implements(lambda G, k=None, normalized=True, weight=None, endpoints=False, seed=None: _all(
    "a sample is drawn by NetworkX's random numbers" if k is not None else True,
    "weights are not read" if weight is not None else True,
))
def betweenness_centrality(G, k=None, normalized=True, weight=None, endpoints=False, seed=None):
    """Betweenness of nodes."""
    if not len(G):
        return {}
    return G.by_node(pl.betweenness_centrality(G.snapshot, normalized=normalized, endpoints=endpoints))


@implements()
def degree_centrality(G):
    """Degrees, divided by the number of other nodes."""
    return _of_others(G, G.snapshot.degree())


@implements(lambda G: True if G.is_directed() else "undirected graphs have no in-degrees")
def in_degree_centrality(G):
    """In-degrees, divided by the number of other nodes."""
    return _of_others(G, G.snapshot.in_degree())


@implements(lambda G: True if G.is_directed() else "undirected graphs have no out-degrees")
def out_degree_centrality(G):
    """Out-degrees, divided by the number of other nodes."""
    return _of_others(G, G.snapshot.out_degree())


def _of_others(G, degrees):
    if len(G) <= 1:
        return dict.fromkeys(G.nodes, 1)
    return G.by_node(degrees * (1.0 / (len(G) - 1)))


def _power_check(G, max_iter=100, tol=1.0e-6, nstart=None, weight=None):
    return _all(
        _iterations(max_iter),
        _number("tol", tol, above=0),
        _guess(G, "nstart", nstart, whole=True),
        _weight_or_none(weight),
        _not_empty(G),
    )


def _eigenvector_check(G, max_iter=100, tol=1.0e-6, nstart=None, weight=None):
    empty = nstart is not None and _guess(G, "nstart", nstart) is True and not sum(nstart.values())
    return "the first guess sums to 0" if empty else _power_check(G, max_iter, tol, nstart, weight)


def _weight_or_none(weight) -> bool | str:
    return True if weight is None or isinstance(weight, str) else "weights are computed by a function"


def _weights(G, weight) -> tuple[BackendGraph, bool]:
    """The graph with the weights that are asked for, and whether some are."""
    return (G, False) if weight is None else (G.weighted_by(weight), True)


def _finite(weights: tuple[BackendGraph, bool]) -> tuple[BackendGraph, bool]:
    """The same, if the weights are finite."""
    G, weighted = weights
    if weighted and not np.isfinite(_weight_range(G)).all():
        raise NotImplementedError("weights that are infinite or no numbers are left to NetworkX")
    return weights


@implements(_eigenvector_check)
def eigenvector_centrality(G, max_iter=100, tol=1.0e-6, nstart=None, weight=None):
    """Eigenvector centrality."""
    try:
        G, weighted = _finite(_weights(G, weight))
        return G.by_node(pl.eigenvector_centrality(G.snapshot, max_iter, tol, nstart, weighted))
    except pl.NotConverged as error:
        raise nx.PowerIterationFailedConvergence(max_iter) from error


def _katz_check(G, alpha=0.1, beta=1.0, max_iter=1000, tol=1.0e-6, nstart=None, normalized=True, weight=None):
    return _all(
        _number("alpha", alpha),
        _guess(G, "beta", beta, whole=True) if isinstance(beta, dict) else _number("beta", beta),
        _power_check(G, max_iter, tol, nstart, weight),
    )


@implements(_katz_check)
def katz_centrality(G, alpha=0.1, beta=1.0, max_iter=1000, tol=1.0e-6, nstart=None, normalized=True, weight=None):
    """Katz centrality."""
    try:
        G, weighted = _finite(_weights(G, weight))
        return G.by_node(pl.katz_centrality(G.snapshot, alpha, beta, max_iter, tol, nstart, normalized, weighted))
    except pl.NotConverged as error:
        raise nx.PowerIterationFailedConvergence(max_iter) from error


def _hits_check(G, max_iter=100, tol=1e-8, nstart=None, normalized=True):
    return _all(
        # Where the iteration ends does not depend on it.
        _guess(G, "nstart", nstart, whole=True),
        True if normalized else "NetworkX gives hubs and authorities any sign if they are not scaled",
        # NetworkX iterates by another method and counts other steps, so limits below its default are left to it.
        _iterations(max_iter, 100, 2**53),
        _number("tol", tol, least=0),
        "a graph of one node is left to NetworkX" if len(G) < 2 else True,
        _has_edges(G),
    )


@implements(_hits_check)
def hits(G, max_iter=100, tol=1e-8, nstart=None, normalized=True):
    """Hubs and authorities, by weights."""
    _finite((G, True))
    if _weight_range(G)[0] < 0:
        raise NotImplementedError("negative weights are left to NetworkX")
    try:
        # NetworkX decomposes the matrix, and so needs fewer iterations.
        found = pl.hits(G.snapshot, max(100 * max_iter, 10_000), min(tol, 1e-10) if tol > 0 else 1e-10)
    except pl.NotConverged as error:
        raise NotImplementedError(str(error)) from error
    return G.by_node(found.hubs), G.by_node(found.authorities)


# Communities.


def _partition_check(G, communities, weight="weight", resolution=1):
    if not isinstance(communities, (list, tuple)) or not all(isinstance(each, (set, frozenset, list, tuple)) for each in communities):
        return "communities are listed here"
    sizes = sum(map(len, communities))
    known = _has(G, *(node for community in communities for node in community))
    whole = sizes == len(G) == len({node for community in communities for node in community}) if known is True else False
    return _all(
        known,
        True if whole else "communities are no partition of the nodes",
        _undirected(G),
        _has_edges(G),
        _weight_or_none(weight),
        _number("the resolution", resolution, least=0),
    )


@implements(_partition_check)
def modularity(G, communities, weight="weight", resolution=1):
    """Modularity of a partition."""
    G, weighted = _weights(G, weight)
    if weighted and _weight_range(G)[0] < 0:
        raise NotImplementedError("negative weights are left to NetworkX")
    number = {node: at for at, community in enumerate(communities) for node in community}
    labels = np.array([number[node] for node in G.nodes])
    found = pl.modularity(G.snapshot, labels, weight=weighted, resolution=resolution)
    if weighted and not _weight_range(G)[1]:
        raise NotImplementedError("a graph without any weight is left to NetworkX")
    return found


# Cuts and likeness.


@implements(lambda G, root=None: "a root is named" if root is not None else True)
def bridges(G, root=None):
    """Edges without which a component falls apart."""
    src, dst, _ = _pleach.cuts(G.snapshot._core)
    for u, v in zip(src.tolist(), dst.tolist()):
        yield G.nodes[u], G.nodes[v]


@implements(lambda G, root=None: "a root is named" if root is not None else True)
def has_bridges(G, root=None):
    """Whether there is a bridge."""
    return bool(_pleach.cuts(G.snapshot._core)[0].size)


@implements()
def articulation_points(G):
    """Nodes without which a component falls apart."""
    for at in np.flatnonzero(_pleach.cuts(G.snapshot._core)[2]).tolist():
        yield G.nodes[at]


@implements()
def is_biconnected(G):
    """Whether the graph stays connected without any one of its nodes."""
    if len(G) < 2 or pl.number_connected_components(G.snapshot) != 1:
        return False
    return not _pleach.cuts(G.snapshot._core)[2].any()


def _pairs_check(G, ebunch=None):
    if ebunch is None or hasattr(ebunch, "__next__"):
        return "all pairs are left to NetworkX"
    if not all(hasattr(pair, "__len__") and len(pair) == 2 for pair in ebunch):
        return "ebunch holds something that is not a pair"
    return _all(_has(G, *(end for pair in ebunch for end in pair)), _no_loops(G))


@implements(_pairs_check)
def jaccard_coefficient(G, ebunch=None):
    """The share of common neighbours of pairs of nodes."""
    pairs = [tuple(pair) for pair in ebunch]
    number = G.snapshot._ids.number
    u, v = (np.array([number(pair[end]) for pair in pairs], dtype=np.uint32) for end in (0, 1))
    found = _pleach.similarity(G.snapshot._core, u, v)[1]
    return ((*pair, value) for pair, value in zip(pairs, found.tolist()))


# Distances.


def _distances(G, source, reverse=False) -> np.ndarray:
    return pl.bfs(G.snapshot, source, reverse=reverse).distance


def _reached(G, distances: np.ndarray, cutoff=None) -> dict:
    """Distances of the nodes that are reached, nearest first. NetworkX takes steps as long as there are fewer than `cutoff`."""
    most = len(G) if cutoff is None or cutoff >= len(G) else math.ceil(max(cutoff, 0))
    at = np.flatnonzero((distances >= 0) & (distances <= most))
    at = at[np.argsort(distances[at], kind="stable")]
    return {G.nodes[node]: distance for node, distance in zip(at.tolist(), distances[at].tolist())}


def _cutoff(cutoff) -> bool | str:
    number = cutoff is None or isinstance(cutoff, (int, float)) and cutoff == cutoff
    return True if number else "the cutoff is no number"


@implements(lambda G, source, cutoff=None: _all(_has(G, source), _cutoff(cutoff)))
def single_source_shortest_path_length(G, source, cutoff=None):
    """Distances from a node."""
    return _reached(G, _distances(G, source), cutoff)


@implements(lambda G, target, cutoff=None: _all(_has(G, target), _cutoff(cutoff)))
def single_target_shortest_path_length(G, target, cutoff=None):
    """Distances to a node."""
    return _reached(G, _distances(G, target, reverse=G.is_directed()), cutoff)


@implements(lambda G, cutoff=None: _cutoff(cutoff))
def all_pairs_shortest_path_length(G, cutoff=None):
    """Distances from each node."""
    for source in G.nodes:
        yield source, _reached(G, _distances(G, source), cutoff)


def _weight_range(G) -> tuple[float, float]:
    """The smallest and the largest weight."""
    values = G.snapshot._core.edges()[2]
    return (1, 1) if values is None or not values.size else (values.min(), values.max())


@implements(lambda G, source, target: _has(G, source, target))
def has_path(G, source, target):
    """Whether a path leads from one node to another."""
    return bool(_distances(G, source)[G.snapshot.position(target)] >= 0)


@implements(lambda G, source: _has(G, source))
def descendants(G, source):
    """The nodes that can be reached from one, without it."""
    return set(_reached(G, _distances(G, source))) - {source}


@implements(lambda G, source: _has(G, source))
def ancestors(G, source):
    """The nodes from which one can be reached, without it."""
    return set(_reached(G, _distances(G, source, reverse=G.is_directed()))) - {source}


@implements(lambda G, source, distance: _all(_has(G, source), _number("the distance", distance)))
def descendants_at_distance(G, source, distance):
    """The nodes at a distance from one."""
    found = _distances(G, source)
    return {G.nodes[at] for at in np.flatnonzero(found == distance).tolist()} if distance >= 0 else set()


@implements(lambda G, sources: _has(G, *(list(sources) if not hasattr(sources, "__next__") else [object()])) if sources not in G else True)
def bfs_layers(G, sources):
    """The nodes at each distance from the nearest source. The first layer has NetworkX's order, and others the order of the graph's nodes."""
    # NetworkX iterates over a set of the sources, too.
    sources = list({sources} if sources in G else set(sources))
    found = pl.k_hop(G.snapshot, sources, len(G))
    if sources:
        yield sources
    for distance in range(1, int(found.max(initial=0)) + 1):
        yield [G.nodes[at] for at in np.flatnonzero(found == distance).tolist()]


def _connected(G) -> bool | str:
    if not len(G):
        return "the graph has no nodes"
    if isinstance(G, BackendGraph):
        count = pl.number_strongly_connected_components if G.is_directed() else pl.number_connected_components
        connected = count(G.snapshot) == 1
    else:
        connected = (nx.is_strongly_connected if G.is_directed() else nx.is_connected).orig_func(G)
    return True if connected else "the graph is not connected"


@implements(lambda G, v=None, sp=None, weight=None: _all(
    "distances are given" if sp is not None else True,
    "weights are not read" if weight is not None else True,
    "single nodes are left to NetworkX" if v is not None else True,
    _connected(G),
))
def eccentricity(G, v=None, sp=None, weight=None):
    """The largest distance from each node."""
    return {node: int(_distances(G, node).max()) for node in G.nodes}


def _extent_check(G, e=None, usebounds=False, weight=None):
    return _all(
        "eccentricities are given" if e is not None else True,
        "weights are not read" if weight is not None else True,
        _connected(G),
    )


@implements(_extent_check)
def diameter(G, e=None, usebounds=False, weight=None):
    """The largest distance."""
    return max(eccentricity(G).values()) if G.is_directed() else pl.diameter(G.snapshot)


@implements(_extent_check)
def radius(G, e=None, usebounds=False, weight=None):
    """The smallest eccentricity."""
    return min(eccentricity(G).values())


@implements(_extent_check)
def center(G, e=None, usebounds=False, weight=None):
    """The nodes of the smallest eccentricity."""
    found = eccentricity(G)
    least = min(found.values())
    return [node for node, value in found.items() if value == least]


@implements(_extent_check)
def periphery(G, e=None, usebounds=False, weight=None):
    """The nodes of the largest eccentricity."""
    found = eccentricity(G)
    most = max(found.values())
    return [node for node, value in found.items() if value == most]


@implements(lambda G, weight=None, method=None: _all(
    "weights are not read" if weight is not None else True,
    "a method is named" if method is not None else True,
    _connected(G),
))
def average_shortest_path_length(G, weight=None, method=None):
    """The mean distance of two nodes."""
    if len(G) == 1:
        return 0
    return sum(int(_distances(G, node).sum()) for node in G.nodes) / (len(G) * (len(G) - 1))


@implements(lambda G, weight=None: _all("weights are not read" if weight is not None else True, _connected(G)))
def wiener_index(G, weight=None):
    """The sum of all distances, of each pair once where edges have no direction."""
    total = sum(int(_distances(G, node).sum()) for node in G.nodes)
    return total if G.is_directed() else total / 2


@implements()
def global_efficiency(G):
    """The mean of inverse distances."""
    size = len(G)
    if size < 2:
        return 0
    total = 0.0
    for node in G.nodes:
        found = _distances(G, node)
        total += float((1 / found[found > 0]).sum())
    return total / (size * (size - 1))


def _lengths(G, weight) -> BackendGraph:
    """The graph with weights that are lengths."""
    G = G.weighted_by(weight)
    if _weight_range(G)[0] < 0:
        raise NotImplementedError("whether a negative weight is on a path is left to NetworkX")
    return G


@implements(lambda G, u=None, distance=None, wf_improved=True: _all(
    _weight_or_none(distance), _has(G, u) if u is not None else True
))
def closeness_centrality(G, u=None, distance=None, wf_improved=True):
    """Closeness by distances to each node."""
    if distance is not None:
        G = _lengths(G, distance)
    if u is None:
        return G.by_node(pl.closeness_centrality(G.snapshot, distance=distance is not None, wf_improved=wf_improved))
    if distance is None:
        found = _distances(G, u, reverse=G.is_directed())
        reached = found[found >= 0]
    else:
        found = pl.single_source_dijkstra(G.snapshot, u, reverse=G.is_directed()).distance
        reached = found[np.isfinite(found)]
    others, total = reached.size - 1, float(reached.sum())
    if not total:
        return 0.0
    return others / total * (others / (len(G) - 1) if wf_improved else 1.0)


@implements(lambda G, nbunch=None, distance=None, sources=None: _all(
    _weight_or_none(distance),
    "some nodes only are left to NetworkX" if nbunch is not None or sources is not None else True,
))
def harmonic_centrality(G, nbunch=None, distance=None, sources=None):
    """Sums of inverse distances to each node."""
    if distance is not None:
        return G.by_node(pl.harmonic_centrality(_lengths(G, distance).snapshot, distance=True))
    return G.by_node(pl.harmonic_centrality(G.snapshot))


@implements(lambda G, v, paths=None, weight=None, normalized=True: _all(
    "paths are given" if paths is not None else True,
    "weights are not read" if weight is not None else True,
    "one node only" if len(G) < 2 else True,
    _has(G, v),
    _has_edges(G),
    True if G.is_directed() else "undirected graphs have another definition",
))
def local_reaching_centrality(G, v, paths=None, weight=None, normalized=True):
    """The share of other nodes that can be reached from one."""
    return (int(np.count_nonzero(_distances(G, v) >= 0)) - 1) / (len(G) - 1)


# Components.


@implements()
def connected_components(G):
    """Sets of nodes that are joined."""
    yield from _sets(G, pl.connected_components(G.snapshot))


@implements()
def weakly_connected_components(G):
    """Sets of nodes that are joined, directions ignored."""
    yield from _sets(G, pl.connected_components(G.snapshot))


@implements()
def strongly_connected_components(G):
    """Sets of nodes with paths from each to each."""
    yield from _sets(G, pl.strongly_connected_components(G.snapshot))


@implements()
def number_connected_components(G):
    """The number of components."""
    return pl.number_connected_components(G.snapshot)


@implements()
def number_weakly_connected_components(G):
    """The number of components, directions ignored."""
    return pl.number_connected_components(G.snapshot)


@implements()
def number_strongly_connected_components(G):
    """The number of strongly connected components."""
    return pl.number_strongly_connected_components(G.snapshot)


@implements(_not_empty)
def is_connected(G):
    """Whether there is one component."""
    return pl.number_connected_components(G.snapshot) == 1


@implements(_not_empty)
def is_weakly_connected(G):
    """Whether there is one component, directions ignored."""
    return pl.number_connected_components(G.snapshot) == 1


@implements(_not_empty)
def is_strongly_connected(G):
    """Whether there is one strongly connected component."""
    return pl.number_strongly_connected_components(G.snapshot) == 1


@implements(lambda G, n: _has(G, n))
def node_connected_component(G, n):
    """The nodes that are joined with one."""
    return set(_reached(G, _distances(G, n)))


def _attracting(G):
    """The strongly connected component of each node, and whether no edge leads out of it."""
    labels = pl.strongly_connected_components(G.snapshot)
    src, dst, _ = G.snapshot._core.edges()
    keeps = np.ones(int(labels.max(initial=-1)) + 1, dtype=bool)
    keeps[labels[src[labels[src] != labels[dst]]]] = False
    return labels, keeps


@implements()
def attracting_components(G):
    """Strongly connected components that no edge leads out of."""
    labels, keeps = _attracting(G)
    for number, nodes in enumerate(_sets(G, labels)):
        if keeps[number]:
            yield nodes


@implements()
def number_attracting_components(G):
    """The number of attracting components."""
    return int(_attracting(G)[1].sum())


@implements()
def is_directed_acyclic_graph(G):
    """Whether edges have directions, and no cycle follows them."""
    if not G.is_directed():
        return False
    return pl.number_strongly_connected_components(G.snapshot) == len(G) and not G.snapshot._has_loop().any()


@implements(_not_empty)
def is_tree(G):
    """Whether the graph is connected, directions ignored, and has one edge less than nodes."""
    return G.snapshot.number_of_edges() == len(G) - 1 and pl.number_connected_components(G.snapshot) == 1


@implements(_not_empty)
def is_forest(G):
    """Whether each component is a tree, directions ignored."""
    return G.snapshot.number_of_edges() == len(G) - pl.number_connected_components(G.snapshot)


@implements()
def is_bipartite(G):
    """Whether nodes can have two colours such that no edge joins equal ones."""
    size = len(G)
    if not size:
        return True
    src, dst, _ = G.snapshot._core.edges()
    # The double cover, with two nodes for each: its components are twice as many exactly if no cycle is odd.
    ends = (np.concatenate([src, dst]), np.concatenate([dst, src]).astype(np.int64) + size)
    cover = pl.Graph((ends[0].astype(np.int64), ends[1]), num_vertices=2 * size, directed=False)
    return pl.number_connected_components(cover) == 2 * pl.number_connected_components(G.snapshot)


# Density.


@implements(lambda G: _all(_undirected(G), _no_loops(G)))
def core_number(G):
    """The largest k such that a node is in the k-core."""
    return G.by_node(pl.core_number(G.snapshot))


def _some(nodes) -> bool | str:
    return True if nodes is None else "some nodes only are left to NetworkX"


@implements(lambda G, nodes=None, weight=None: _all(
    _undirected(G), _some(nodes), "weights are not read" if weight is not None else True
))
def clustering(G, nodes=None, weight=None):
    """Clustering coefficients."""
    found = pl.clustering(G.snapshot)
    return {node: value or 0 for node, value in G.by_node(found).items()}


@implements(lambda G, nodes=None, weight=None, count_zeros=True: _all(
    _undirected(G), _some(nodes), _not_empty(G), "weights are not read" if weight is not None else True
))
def average_clustering(G, nodes=None, weight=None, count_zeros=True):
    """The mean clustering coefficient."""
    found = pl.clustering(G.snapshot)
    if not count_zeros:
        found = found[found != 0]
    # Without any, this is NetworkX's own error.
    return sum(found.tolist()) / found.size


@implements(lambda G, nodes=None: _some(nodes))
def triangles(G, nodes=None):
    """Triangles at each node."""
    return G.by_node(pl.triangles(G.snapshot))


@implements(lambda G: _undirected(G))
def transitivity(G):
    """The share of paths of two edges that a third one closes."""
    return pl.transitivity(G.snapshot) or 0


# Degrees.


@implements()
def isolates(G):
    """Nodes without edges."""
    return (G.nodes[at] for at in np.flatnonzero(G.snapshot.degree() == 0).tolist())


@implements()
def number_of_isolates(G):
    """The number of nodes without edges."""
    return int(np.count_nonzero(G.snapshot.degree() == 0))


@implements(lambda G, n: _has(G, n))
def is_isolate(G, n):
    """Whether a node has no edges."""
    return G.snapshot.degree(n) == 0


@implements(_has_edges)
def overall_reciprocity(G):
    """The share of edges that lead both ways. NetworkX has 0 for undirected graphs."""
    if not G.is_directed():
        return 0.0
    src, dst, _ = G.snapshot._core.edges()
    back = G.snapshot._core.weights(dst, src)
    return float(np.count_nonzero(~np.isnan(back) & (src != dst)) / src.size)


# Functions that are registered by being imported.
from . import choices, paths  # noqa: E402, F401
