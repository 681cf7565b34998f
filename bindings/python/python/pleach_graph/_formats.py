"""Matrices of SciPy's, made of arrays that the library has made or checked.

SciPy's constructors look at every array again, which takes ten times as long as the conversion of a small matrix."""

from __future__ import annotations

import functools

import numpy as np


#: What holds the entries, where it is not ends, coordinates and values.
_ARRAYS = {"coo": {"coords", "data"}, "lil": {"rows", "data", "dtype"}}


@functools.lru_cache(maxsize=None)
def _template(kind: str):
    """The class of a format, and what SciPy keeps with a matrix beside its arrays; ``None`` if it keeps its arrays otherwise."""
    import scipy.sparse

    made = getattr(scipy.sparse, f"{kind}_array")((1, 1))
    kept, names = vars(made), _ARRAYS.get(kind, {"indptr", "indices", "data"})
    fits = kept.get("_shape") == (1, 1) and names <= kept.keys()
    return type(made), {name: value for name, value in kept.items() if name not in names} if fits else None


def compressed(kind: str, parts, shape: tuple[int, int], *, unique: bool = True):
    """Compressed rows or columns: their ends, coordinates and values. Unless they ascend and are known to be ``unique``, SciPy looks when it wants to
    know."""
    indptr, indices, data = parts
    cls, kept = _template(kind)
    if kept is None:
        made = cls((data, indices, indptr), shape=shape)
    else:
        made = cls.__new__(cls)
        vars(made).update(kept, _shape=shape, indptr=indptr, indices=indices, data=data)
    if unique:
        made.has_sorted_indices = True
        made.has_canonical_format = True
    return made


def coordinates(rows, cols, data, shape: tuple[int, int]):
    """Entries with their coordinates. SciPy is told nothing of their order."""
    cls, kept = _template("coo")
    if kept is None:
        made = cls((data, (rows, cols)), shape=shape)
    else:
        made = cls.__new__(cls)
        vars(made).update(kept, _shape=shape, coords=(rows, cols), data=data)
    made.has_canonical_format = False
    return made


#: Entries that become numbers of Python's at a time: they are in the cache still when they are put into lists.
_AT_A_TIME = 4096

#: Entries of a row from which on a second list of them takes longer than to ask NumPy for each row.
_LONG = 10

#: Rows up to which it takes longer, too.
_FEW = 32


def _pieces(ends: np.ndarray, entries: np.ndarray, numbers: np.ndarray | None = None) -> np.ndarray:
    """A list for each row: of its entries, or of `numbers[entry]` for each of them."""
    rows = ends.size - 1
    made = np.empty(rows, dtype=object)
    step = max(1, rows * _AT_A_TIME // max(1, entries.size))
    for first in range(0, rows, step):
        part = ends[first : first + step + 1]
        own = entries[part[0] : part[-1]]
        own, at = (own if numbers is None else numbers[own]).tolist(), (part - part[0]).tolist()
        some = map(own.__getitem__, map(slice, at, at[1:]))
        made[first : first + step] = np.fromiter(some, dtype=object, count=len(at) - 1)
    return made


def _row_by_row(ends: np.ndarray, entries: np.ndarray) -> np.ndarray:
    """A list of its entries for each row; faster than `_pieces` if rows are long."""
    at, made = ends.tolist(), np.empty(ends.size - 1, dtype=object)
    for row, (begin, end) in enumerate(zip(at, at[1:])):
        made[row] = entries[begin:end].tolist()
    return made


def lists(matrix):
    """A list of columns and one of values for each row, of compressed rows in order."""
    cls, kept = _template("lil")
    indptr, indices, data, (rows, cols) = matrix.indptr, matrix.indices, matrix.data, matrix.shape
    if kept is None:
        return matrix.tolil()
    made = cls.__new__(cls)
    vars(made).update(kept, _shape=matrix.shape, dtype=data.dtype)
    if rows <= _FEW:
        made.rows, made.data = _row_by_row(indptr, indices), _row_by_row(indptr, data)
        return made
    # One number of Python's for each column, and not for each entry.
    numbers = np.arange(cols).astype(object) if cols <= indices.size else None
    made.rows = _pieces(indptr, indices, numbers)
    made.data = _row_by_row(indptr, data) if indices.size > _LONG * rows else _pieces(indptr, data)
    return made


def blocks(matrix, made, size: int):
    """Blocks of so many rows and columns, of compressed rows in order."""
    if size > 1:
        indptr, indices, data = made
        return compressed("bsr", (indptr, indices, data.reshape(-1, size, size)), matrix.shape)
    # Room beyond the last entry is SciPy's to cut off.
    if not matrix.indptr[-1] == matrix.indices.size == matrix.data.size:
        return matrix.tobsr(blocksize=(1, 1))
    return compressed("bsr", (matrix.indptr, matrix.indices, matrix.data.reshape(-1, 1, 1)), matrix.shape, unique=False)
