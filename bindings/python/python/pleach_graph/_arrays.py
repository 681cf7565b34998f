"""Arrays as NumPy, Arrow and frames hold them."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

import numpy as np


def loaded(module: str, *names: str) -> tuple[type, ...]:
    """Types of a module, if somebody has imported it: otherwise no value can have one of them."""
    held = sys.modules.get(module)
    return tuple(kind for name in names if (kind := getattr(held, name, None)) is not None) if held else ()


#: What brings a module that is optional: a name for people, and the extra of the distribution.
_EXTRAS = {"scipy.sparse": ("SciPy", "scipy"), "pyarrow": ("PyArrow", "arrow"), "networkx": ("NetworkX", "networkx")}


def optional(module: str, what: str) -> ModuleType:
    """A module that need not be installed, and without which something cannot be done."""
    try:
        return importlib.import_module(module)
    except ImportError:
        name, extra = _EXTRAS[module]
        raise ImportError(f"{what} needs {name}: pip install 'pleach-graph[{extra}]'") from None


def is_arrow(value) -> bool:
    """Whether it is a column of Arrow's."""
    return bool(kinds := loaded("pyarrow", "Array", "ChunkedArray")) and isinstance(value, kinds)


def is_missing(value) -> bool:
    """Whether a value stands for one that is not there: ``None``, NaN, NaT or pandas' ``NA``."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        # Nothing is equal to pandas' NA, or unequal to it.
        return value is getattr(sys.modules.get("pandas"), "NA", None)


def array_of(what: str, values) -> np.ndarray:
    """Whatever has elements as an array. A masked element is an error: what lies below the mask means nothing."""
    if is_arrow(values):
        return arrow_column(what, values)
    if isinstance(values, np.ma.MaskedArray):
        if np.ma.is_masked(values):
            raise ValueError(f"{what} has masked elements: fill them, or leave them out")
        return values.data
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from None


def plain(array: np.ndarray, dtype) -> np.ndarray:
    """The array in one piece, aligned and of this type: as the library reads it."""
    return np.require(array, dtype, ("C_CONTIGUOUS", "ALIGNED"))


def arrow_column(name: str, column) -> np.ndarray:
    """A column of Arrow's as an array, without a copy where it is one piece of numbers without nulls."""
    from pyarrow import types

    if column.null_count:
        raise ValueError(f"{name} holds nulls")
    kind = column.type
    if types.is_dictionary(kind):
        chunks = column.chunks if hasattr(column, "chunks") else [column]
        return np.concatenate([objects([]), *(objects(chunk.dictionary.to_pylist())[chunk.indices.to_numpy()] for chunk in chunks)])
    if types.is_decimal(kind) and kind.scale == 0:
        # So DuckDB gives integers of more than 64 bits, and sums of smaller ones.
        integers = [int(value) for value in column.to_pylist()]
        small = all(-(2**63) <= value < 2**63 for value in integers)
        return np.array(integers, dtype=np.int64 if small else object)
    if hasattr(column, "num_chunks") and column.num_chunks == 1:
        column = column.chunk(0)
    return column.to_numpy() if hasattr(column, "num_chunks") else column.to_numpy(zero_copy_only=False)


def objects(values: list) -> np.ndarray:
    """A list as an array of one dimension, whatever it holds."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
