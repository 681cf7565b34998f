"""Pairs of vertices, and what they have in common."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from . import _pleach
from ._graph import Snapshot


def columns_of_pairs(name: str, pairs: Iterable[tuple[Hashable, Hashable]]) -> tuple[list, list]:
    """Pairs as two columns."""
    try:
        pairs = [tuple(pair) for pair in pairs]
    except TypeError:
        raise TypeError(f"{name} must be pairs of vertices") from None
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError(f"{name} holds pairs of vertices")
    return [u for u, _ in pairs], [v for _, v in pairs]


def pairs_of(version: Snapshot, u, v) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the vertices in two columns."""
    src, dst = version._ids.numbers("u", u), version._ids.numbers("v", v)
    if src.size != dst.size:
        raise ValueError(f"u and v have {src.size} and {dst.size} elements")
    for name, numbers in (("u", src), ("v", dst)):
        for number in numbers[:0] if version._numbers is None else numbers:
            if not version._core.has_vertex(int(number)):
                raise KeyError(f"{name}: {version._ids.name(int(number))!r} is no vertex of this graph")
        if numbers.size and numbers.max() >= version._core.num_rows:
            raise KeyError(f"{name}: {version._ids.name(int(numbers.max()))!r} is no vertex of this graph")
    return src, dst


def jaccard(version: Snapshot, src: np.ndarray, dst: np.ndarray, threads: int | None) -> np.ndarray:
    """The share of common neighbours of pairs, among which the two themselves are not."""
    common, shares, _ = _pleach.similarity(version._core, src, dst, threads)
    is_edge = lambda u, v: ~np.isnan(version._core.weights(u, v))
    loops = is_edge(src, src), is_edge(dst, dst)
    if not (loops[0].any() or loops[1].any()):
        return shares
    # With a self loop, one of the two is a common neighbour if the other one leads to it.
    themselves = (loops[0] & is_edge(dst, src)).astype(np.int64) + (loops[1] & is_edge(src, dst) & (src != dst))
    all_neighbors = np.rint(np.divide(common, shares, out=np.ones(common.size), where=common > 0))
    return (common - themselves) / all_neighbors
