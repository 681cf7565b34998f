"""Shortest paths by weight and by number of edges. Of several shortest paths to a node, any is found."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np

import pleach_graph as pl

from .backend import _all, _cutoff, _has, _lengths, _weight_or_none, implements


def _measured(G, weight):
    """The graph with lengths of edges, and whether distances are integers."""
    if weight is None:
        return G, True
    G = _lengths(G, weight)
    if G.largest * len(G) > 2**53:
        raise NotImplementedError("distances are sums of floats here, which do not hold integers above 2^53")
    return G, G.integral


def _each(G, cutoff, weight, what):
    """Something of the paths from each node. What is left to NetworkX is left at once, before the first is asked for."""
    G, _ = _measured(G, weight)
    return ((source, what(Found(G, source, cutoff, weight))) for source in G.nodes)


class Found:
    """Shortest paths from a node."""

    def __init__(self, G, source, cutoff=None, weight="weight") -> None:
        G, integral = _measured(G, weight)
        self._nodes, self._source = G.nodes, source
        if weight is None:
            distance, self._before = pl.bfs(G.snapshot, source)
            distance = np.where(distance < 0, np.inf, distance)
        else:
            distance, self._before, _ = pl.single_source_dijkstra(G.snapshot, source)
        near = np.isfinite(distance)
        if cutoff is not None:
            near &= distance <= cutoff
        at = np.flatnonzero(near)
        #: The positions of the nodes that are reached, nearest first.
        self._reached = at[np.argsort(distance[at], kind="stable")].tolist()
        self._distance = (np.where(near, distance, 0).astype(np.int64) if integral else distance).tolist()

    def lengths(self) -> dict:
        """The length of the path to each node that is reached. That to the source is the integer 0, as NetworkX has it."""
        lengths = {self._nodes[at]: self._distance[at] for at in self._reached}
        return {self._source: 0} | {node: length for node, length in lengths.items() if node != self._source}

    def paths(self) -> dict:
        """The nodes on the path to each node that is reached."""
        before, nodes, found = self._before.tolist(), self._nodes, {}
        for at in self._reached:
            # Along edges without length, a node may come before the one that leads to it.
            missing = []
            while at not in found and before[at] != at:
                missing.append(at)
                at = before[at]
            path = found.setdefault(at, [nodes[at]])
            for at in reversed(missing):
                path = found[at] = [*path, nodes[at]]
        return {self._source: [self._source]} | {nodes[at]: found[at] for at in self._reached}

    def to(self, G, target) -> tuple:
        """The length of the path to one node, and the nodes on it."""
        at = G.snapshot.position(target)
        if self._before[at] < 0:
            raise nx.NetworkXNoPath(f"Node {target} not reachable from {self._source}")
        path = [at]
        while self._before[path[-1]] != path[-1]:
            path.append(int(self._before[path[-1]]))
        length = 0 if target == self._source else self._distance[at]
        return length, [self._source, *(self._nodes[at] for at in reversed(path[:-1]))]


def _from_check(G, source, cutoff=None, weight="weight"):
    return _all(_has(G, source), _cutoff(cutoff), _weight_or_none(weight))


def _between_check(G, source, target, weight="weight"):
    return _all(_has(G, source, target), _weight_or_none(weight))


@implements(_from_check)
def single_source_dijkstra_path_length(G, source, cutoff=None, weight="weight"):
    """Distances by weight from a node, nearest first."""
    return Found(G, source, cutoff, weight).lengths()


@implements(_from_check)
def single_source_dijkstra_path(G, source, cutoff=None, weight="weight"):
    """Shortest paths by weight from a node, nearest first."""
    return Found(G, source, cutoff, weight).paths()


@implements(lambda G, source, target=None, cutoff=None, weight="weight": _all(
    _from_check(G, source, cutoff, weight),
    True if target is None else _has(G, target),
    "a target and a cutoff are left to NetworkX" if target is not None and cutoff is not None else True,
))
def single_source_dijkstra(G, source, target=None, cutoff=None, weight="weight"):
    """Distances and shortest paths by weight from a node, or those to one node."""
    found = Found(G, source, cutoff, weight)
    if target is not None:
        return found.to(G, target)
    return found.lengths(), found.paths()


@implements(_between_check)
def dijkstra_path(G, source, target, weight="weight"):
    """A shortest path by weight."""
    return Found(G, source, None, weight).to(G, target)[1]


@implements(_between_check)
def dijkstra_path_length(G, source, target, weight="weight"):
    """The length of a shortest path by weight."""
    return Found(G, source, None, weight).to(G, target)[0]


@implements(_between_check)
def bidirectional_dijkstra(G, source, target, weight="weight"):
    """The length of a shortest path by weight, and the path."""
    return Found(G, source, None, weight).to(G, target)


def _all_pairs_check(G, cutoff=None, weight="weight"):
    return _all(_cutoff(cutoff), _weight_or_none(weight))


@implements(_all_pairs_check)
def all_pairs_dijkstra(G, cutoff=None, weight="weight"):
    """Distances and shortest paths by weight from each node."""
    return _each(G, cutoff, weight, lambda found: (found.lengths(), found.paths()))


@implements(_all_pairs_check)
def all_pairs_dijkstra_path_length(G, cutoff=None, weight="weight"):
    """Distances by weight from each node."""
    return _each(G, cutoff, weight, Found.lengths)


@implements(_all_pairs_check)
def all_pairs_dijkstra_path(G, cutoff=None, weight="weight"):
    """Shortest paths by weight from each node."""
    return _each(G, cutoff, weight, Found.paths)


def _steps(cutoff):
    """The most edges of a path: NetworkX takes a step as long as there are fewer than `cutoff`."""
    return cutoff if cutoff is None or math.isinf(cutoff) else max(math.ceil(cutoff), 0)


@implements(lambda G, source, cutoff=None: _all(_has(G, source), _cutoff(cutoff)))
def single_source_shortest_path(G, source, cutoff=None):
    """Paths of the fewest edges from a node."""
    return Found(G, source, _steps(cutoff), None).paths()


@implements(lambda G, cutoff=None: _cutoff(cutoff))
def all_pairs_shortest_path(G, cutoff=None):
    """Paths of the fewest edges from each node."""
    return _each(G, _steps(cutoff), None, Found.paths)


@implements(lambda G, source, target: _has(G, source, target))
def bidirectional_shortest_path(G, source, target):
    """A path of the fewest edges."""
    return Found(G, source, None, None).to(G, target)[1]
