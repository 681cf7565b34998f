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


def compressed(kind: str, parts, shape: tuple[int, int]):
    """Compressed rows or columns in order: their ends, coordinates and values."""
    indptr, indices, data = parts
    cls, kept = _template(kind)
    if kept is None:
        made = cls((data, indices, indptr), shape=shape)
    else:
        made = cls.__new__(cls)
        vars(made).update(kept, _shape=shape, indptr=indptr, indices=indices, data=data)
    made.has_sorted_indices = True
    made.has_canonical_format = True
    return made


def coordinates(rows, cols, data, shape: tuple[int, int]):
    """Entries with their coordinates, in order and none twice."""
    cls, kept = _template("coo")
    if kept is None:
        made = cls((data, (rows, cols)), shape=shape)
    else:
        made = cls.__new__(cls)
        vars(made).update(kept, _shape=shape, coords=(rows, cols), data=data)
    made.has_canonical_format = True
    return made


#: Entries that become numbers of Python's at a time: they are in the cache still when they are put into lists.
_AT_A_TIME = 4096

#: Entries of a row from which on SciPy is as fast: a second list of them takes longer than to ask NumPy for each row.
_LONG = 10


def _pieces(ends: np.ndarray, entries: np.ndarray) -> np.ndarray:
    """A list for each row."""
    rows = ends.size - 1
    made = np.empty(rows, dtype=object)
    step = max(1, rows * _AT_A_TIME // max(1, entries.size))
    for first in range(0, rows, step):
        part = ends[first : first + step + 1]
        own, at = entries[part[0] : part[-1]].tolist(), (part - part[0]).tolist()
        some = map(own.__getitem__, map(slice, at, at[1:]))
        made[first : first + step] = np.fromiter(some, dtype=object, count=len(at) - 1)
    return made


def lists(matrix):
    """A list of columns and one of values for each row, of compressed rows in order."""
    cls, kept = _template("lil")
    if kept is None or matrix.indices.size > _LONG * matrix.shape[0]:
        return matrix.tolil()
    made = cls.__new__(cls)
    vars(made).update(kept, _shape=matrix.shape, dtype=matrix.data.dtype)
    made.rows, made.data = _pieces(matrix.indptr, matrix.indices), _pieces(matrix.indptr, matrix.data)
    return made


def blocks(matrix, size: int):
    """Blocks of so many rows and columns, of compressed rows in order."""
    # Room beyond the last entry is SciPy's to cut off.
    if size > 1 or not matrix.indptr[-1] == matrix.indices.size == matrix.data.size:
        return matrix.tobsr(blocksize=(size, size))
    return compressed("bsr", (matrix.indptr, matrix.indices, matrix.data.reshape(-1, 1, 1)), matrix.shape)
