"""Mappings from vertices to numbers, as arrays: weights, first guesses."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np

from ._graph import Snapshot


def numbers_of(graph: Snapshot, name: str, given: Mapping[Hashable, float]) -> tuple[np.ndarray, np.ndarray]:
    """An array of the vertices that a mapping names, and an array of their finite numbers."""
    if not isinstance(given, Mapping):
        raise TypeError(f"{name} must be a mapping, not {type(given).__name__}")
    try:
        values = np.fromiter(given.values(), np.float64, len(given))
    except (TypeError, ValueError, OverflowError):
        values = np.array([_number(name, vertex, value) for vertex, value in given.items()])
    finite = np.isfinite(values)
    if not finite.all():
        vertex, value = _first(given, ~finite)
        raise ValueError(f"{name} gives {vertex!r} the number {value}: numbers are finite")
    return _vertices(graph, name, given), values


def numbers_of_all(graph: Snapshot, name: str, given: Mapping[Hashable, float]) -> tuple[np.ndarray, np.ndarray]:
    """As `numbers_of`, of a mapping that has a number for each vertex."""
    found = numbers_of(graph, name, given)
    missing = None if len(given) == len(graph) else next((vertex for vertex in graph if vertex not in given), None)
    if missing is not None:
        raise ValueError(f"{name} must have a number for each vertex, and has none for {missing!r}")
    return found


def weights_of(graph: Snapshot, name: str, given: Mapping[Hashable, float] | None) -> tuple[np.ndarray, np.ndarray] | None:
    """As `numbers_of`, for weights: none is negative, and not all are 0. ``None`` if nothing is given."""
    if given is None:
        return None
    vertices, values = numbers_of(graph, name, given)
    if values.min(initial=0.0) < 0:
        vertex, value = _first(given, values < 0)
        raise ValueError(f"{name} gives {vertex!r} the weight {value}: weights are not negative")
    if not values.any():
        raise ValueError(f"{name} must give a vertex a weight above 0")
    return vertices, values


def _number(name: str, vertex: Hashable, value) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must give numbers, and gives {vertex!r} a {type(value).__name__}") from None
    except OverflowError:
        raise ValueError(f"{name} gives {vertex!r} a number that no float holds: {value}") from None


def _first(given: Mapping[Hashable, float], where: np.ndarray) -> tuple[Hashable, float]:
    """The first vertex in a mask, and its number."""
    return list(given.items())[int(np.argmax(where))]


def _vertices(graph: Snapshot, name: str, given: Mapping[Hashable, float]) -> np.ndarray:
    try:
        numbers = graph._ids.numbers(name, list(given))
    except (KeyError, TypeError, ValueError):
        numbers = None
    if numbers is None or not graph._are_vertices(numbers):
        # One by one, to say which it is.
        numbers = np.array([graph._number(name, vertex) for vertex in given], dtype=np.uint32)
    return numbers
