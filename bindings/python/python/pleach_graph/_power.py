"""Power iterations from a first guess, by weights, or with vertices that lead nowhere in particular: products with the arcs that lead to each
vertex. What needs none of these is an algorithm of the library."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

import numpy as np

from . import _pleach
from ._graph import Snapshot
from ._progress import parts


def arcs(graph: Snapshot, weighted: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Both ends of each arc, by position, and its weight; an edge without a direction is two arcs, but for a loop."""
    src, dst, values = graph._core.edges()
    src, dst = graph._to_positions(src.astype(np.int64)), graph._to_positions(dst.astype(np.int64))
    values = values if weighted and values is not None else np.ones(src.size)
    if graph.directed:
        return src, dst, values
    back = src != dst
    return np.concatenate([src, dst[back]]), np.concatenate([dst, src[back]]), np.concatenate([values, values[back]])


class Incoming:
    """The arcs that lead to each vertex, to be multiplied with."""

    def __init__(self, graph: Snapshot, src: np.ndarray, dst: np.ndarray, values: np.ndarray, threads: int | None) -> None:
        size, self._threads = len(graph), threads
        indptr, indices, data = _pleach.compress(dst, src, values, (size, size))
        self._rows = _pleach.CsrCore(size, indptr.astype(np.int64), indices.astype(np.uint32), data)

    def times(self, x: np.ndarray) -> np.ndarray:
        """For each vertex, the sum of weights times the values of those that lead to it."""
        return self._rows.times_vector(x, False, self._threads)


def by_vertex(graph: Snapshot, name: str, given: Mapping[Hashable, float]) -> np.ndarray:
    """Numbers that a mapping has for vertices; zero for those that it does not name."""
    if not isinstance(given, Mapping):
        raise TypeError(f"{name} must be a mapping, not {type(given).__name__}")
    found = np.zeros(len(graph))
    for vertex, value in given.items():
        try:
            value = float(value)
        except (TypeError, ValueError):
            raise TypeError(f"{name} must give numbers, and gives {vertex!r} a {type(value).__name__}") from None
        if not np.isfinite(value):
            raise ValueError(f"{name} gives {vertex!r} the number {value}: numbers are finite")
        graph._number(name, vertex)
        found[graph.position(vertex)] = value
    return found


def shares(graph: Snapshot, name: str, given: Mapping[Hashable, float]) -> np.ndarray:
    """The same, scaled to sum to 1."""
    found = by_vertex(graph, name, given)
    if not found.sum() > 0 or found.min() < 0:
        raise ValueError(f"{name} must give vertices numbers of 0 or more, not all of them 0")
    return found / found.sum()


def _steps(most: int) -> Iterator[int]:
    """Iterations, which a bar counts."""
    with parts("iterations") as iterated:
        for step in range(most):
            yield step
            iterated()


def pagerank(
    graph: Snapshot, alpha, teleport, max_iter, tol, start, weighted, dangling, threads
) -> tuple[np.ndarray, float]:
    """Ranks, and their last change: as NetworkX iterates."""
    size = len(graph)
    uniform = np.full(size, 1 / size)
    teleport = uniform if teleport is None else teleport
    x, dangling = uniform if start is None else start, teleport if dangling is None else dangling
    src, dst, values = arcs(graph, weighted)
    if values.size and not (values.min() >= 0 and np.isfinite(values).all()):
        raise ValueError("weights must be finite and not negative")
    out = np.bincount(src, values, size)
    stays = out == 0
    incoming = Incoming(graph, src, dst, values / np.where(stays, 1, out)[src], threads)
    change = np.inf
    for _ in _steps(max_iter):
        last = x
        x = alpha * (incoming.times(x) + x[stays].sum() * dangling) + (1 - alpha) * teleport
        change = float(np.abs(x - last).sum())
        if change < tol:
            break
    return x, change


def eigenvector(graph: Snapshot, max_iter, tol, start, weighted, threads) -> tuple[np.ndarray, bool]:
    """Scores of norm 1, and whether they converged."""
    incoming, x = Incoming(graph, *arcs(graph, weighted), threads), start
    for _ in _steps(max_iter):
        last = x
        x = x + incoming.times(x)
        x = x / (np.linalg.norm(x) or 1.0)
        if np.abs(x - last).sum() < len(graph) * tol:
            return x, True
    return x, False


def katz(
    graph: Snapshot, alpha, beta, max_iter, tol, start, normalized, weighted, threads
) -> tuple[np.ndarray, bool]:
    """Scores, and whether they converged. What each vertex has by itself is one number, or one for each."""
    incoming = Incoming(graph, *arcs(graph, weighted), threads)
    x = np.zeros(len(graph)) if start is None else start
    for _ in _steps(max_iter):
        last = x
        with np.errstate(over="ignore", invalid="ignore"):
            x = alpha * incoming.times(x) + beta
            change = np.abs(x - last).sum()
        if change < len(graph) * tol:
            return (x / (np.linalg.norm(x) or 1.0) if normalized else x), True
        if not np.isfinite(change):
            break
    return x, False
