"""Matrices of SciPy's, looked at before anything reads them: SciPy's own code reads outside of arrays that somebody has changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from . import _pleach
from ._arrays import loaded, plain

#: Formats that SciPy has, by the names that it gives them.
SCIPY_FORMATS = ("coo", "csr", "csc", "bsr", "dia", "lil", "dok")


def is_sparse(value) -> bool:
    """Whether it is a SciPy sparse array or matrix."""
    return bool(kinds := loaded("scipy.sparse", "sparray", "spmatrix")) and isinstance(value, kinds)


def canonical(matrix, name: str):
    """A matrix of any format as a new one that SciPy may read, whatever was done to its arrays: as rows, columns, coordinates, blocks or diagonals
    with numbers of 64 bits, none of them beyond the last entry. Entries of one place are one, with their sum.

    Raises
    ------
    TypeError, ValueError
        If its arrays are none of a matrix; names the argument.
    """
    matrix = _whole(matrix, name)
    if matrix.format == "bsr" and not matrix.has_canonical_format:
        matrix = matrix.tocsr()
    if matrix.format == "coo":
        matrix.has_canonical_format = _is_unique(matrix)
        matrix.sum_duplicates()
    elif matrix.format in ("csr", "csc") and not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def coords_of(matrix) -> tuple[np.ndarray, ...]:
    """The coordinates of entries. SciPy has named them so since 1.13."""
    return matrix.coords if hasattr(matrix, "coords") else (matrix.row, matrix.col)


def _is_unique(matrix) -> bool:
    """Whether coordinates ascend by rows or by columns, none twice."""
    if len(matrix.shape) != 2:
        return False
    rows, cols = coords_of(matrix)
    return _ascend(rows, cols) or _ascend(cols, rows)


def _ascend(major: np.ndarray, minor: np.ndarray) -> bool:
    same = major[1:] == major[:-1]
    return bool(np.all((major[1:] > major[:-1]) | same & (minor[1:] > minor[:-1])))


def _whole(matrix, name: str):
    """A new matrix of arrays that were looked at. What SciPy was told of the old one's order, it is not told of this one."""
    kind, shape = matrix.format, matrix.shape
    if kind in ("csr", "csc"):
        _check_compressed(matrix, name, shape[::-1] if kind == "csc" else (1, *shape)[-2:])
    elif kind == "bsr":
        _check_compressed(matrix, name, _blocks(matrix, name))
    else:
        return {"coo": _of_entries, "dia": _of_diagonals, "lil": _of_lists, "dok": _of_dictionary}[kind](matrix, name)
    last = int(matrix.indptr[-1])
    return _made(kind, (_reals(matrix.data[:last], name), matrix.indices[:last], matrix.indptr), shape)


def _made(kind: str, parts: tuple, shape: tuple[int, ...]):
    import scipy.sparse

    return getattr(scipy.sparse, f"{kind}_array")(parts, shape=shape)


def _reals(numbers: np.ndarray, name: str) -> np.ndarray:
    """Numbers of 64 bits: entries of one place are added up as such, and not as SciPy does, in a type that holds few numbers."""
    if numbers.dtype.kind == "c":
        raise TypeError(f"{name} has the dtype {numbers.dtype}: values are real numbers")
    return plain(numbers, np.float64)


def _check_integers(array, name: str) -> None:
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be an array of integers of one dimension")


def _check_data(data, name: str, dimensions: int) -> None:
    if not isinstance(data, np.ndarray) or data.ndim != dimensions or data.dtype.kind not in "biufc":
        raise TypeError(f"{name}.data must be an array of numbers with {dimensions} dimension{'s' if dimensions > 1 else ''}")


def _check_compressed(matrix, name: str, extents: Sequence[int]) -> None:
    """Refuses arrays that are no compressed rows or columns, or blocks of these. `extents` is how many there are, and the bound of coordinates."""
    (major, minor), indptr, indices, data = extents, matrix.indptr, matrix.indices, matrix.data
    _check_integers(indptr, f"{name}.indptr")
    _check_integers(indices, f"{name}.indices")
    _check_data(data, name, 3 if matrix.format == "bsr" else 1)
    if _pleach.is_compressed(indptr, indices, len(data), (major, minor)):
        return
    if indptr.size != major + 1 or indptr[0] != 0:
        raise ValueError(f"{name}.indptr must have {major + 1} elements, the first of them 0")
    if np.any(indptr[1:] < indptr[:-1]):
        row = int(np.flatnonzero(indptr[1:] < indptr[:-1])[0])
        raise ValueError(f"{name}.indptr decreases after position {row}")
    if indptr[-1] > indices.size or indptr[-1] > len(data):
        raise ValueError(f"{name}.indptr ends at {indptr[-1]}, but there are {min(indices.size, len(data))} nonzeros")
    used = indices[: indptr[-1]]
    if used.size and (used.min() < 0 or used.max() >= minor):
        wrong = int(used.min()) if used.min() < 0 else int(used.max())
        raise ValueError(f"{name}.indices holds {wrong}, and the shape is {_shown(matrix.shape)}")


def _shown(shape: Sequence[int]) -> str:
    return " × ".join(map(str, shape))


def _blocks(matrix, name: str) -> list[int]:
    """How many rows and columns of blocks a matrix has."""
    _check_data(matrix.data, name, 3)
    sizes = matrix.data.shape[1:]
    if 0 in sizes or any(extent % size for extent, size in zip(matrix.shape, sizes)):
        raise ValueError(f"{name} has blocks of {_shown(sizes)}, and the shape is {_shown(matrix.shape)}")
    return [extent // size for extent, size in zip(matrix.shape, sizes)]


def _check_coords(coords: Sequence[np.ndarray], shape: Sequence[int], name: str) -> None:
    for coord, extent in zip(coords, shape):
        if coord.size and (coord.min() < 0 or coord.max() >= extent):
            wrong = int(coord.min()) if coord.min() < 0 else int(coord.max())
            raise ValueError(f"{name} holds the coordinate {wrong}, which is outside of its shape {_shown(shape)}")


def _of_entries(matrix, name: str):
    coords, data, shape = tuple(coords_of(matrix)), matrix.data, matrix.shape
    for coord in coords:
        _check_integers(coord, f"{name}.coords: each")
    _check_data(data, name, 1)
    sizes = [coord.size for coord in coords]
    if len(coords) != len(shape) or any(size != data.size for size in sizes):
        raise ValueError(f"{name} has {' and '.join(map(str, sizes))} coordinates of {data.size} values")
    _check_coords(coords, shape, name)
    return _made("coo", (_reals(data, name), coords), shape)


def _of_diagonals(matrix, name: str):
    offsets, data, (rows, cols) = matrix.offsets, matrix.data, matrix.shape
    _check_integers(offsets, f"{name}.offsets")
    _check_data(data, name, 2)
    if offsets.size != len(data):
        raise ValueError(f"{name} has {offsets.size} diagonals, and data of the shape {_shown(data.shape)}")
    different, counts = np.unique(offsets, return_counts=True)
    if different.size < offsets.size:
        raise ValueError(f"{name}.offsets holds {different[counts > 1][0]} twice")
    # Others lie outside of the matrix.
    inside = (offsets > -rows) & (offsets < cols)
    return _made("dia", (_reals(data[inside], name), offsets[inside]), matrix.shape)


def _listed(values: Iterable, kinds: str, shape: tuple[int, ...], refused: str) -> np.ndarray:
    """Numbers of Python's, or tuples of so many, as an array of one of these kinds."""
    values = list(values)
    if not values:
        return np.empty((0, *shape), np.int64)
    try:
        array = np.array(values)
    except ValueError:
        # They differ in length.
        raise TypeError(refused) from None
    if array.dtype.kind not in kinds or array.shape[1:] != shape:
        raise TypeError(refused)
    return array


def _of_lists(matrix, name: str):
    shape = matrix.shape
    for part in ("rows", "data"):
        lists = getattr(matrix, part)
        if not isinstance(lists, np.ndarray) or lists.shape != shape[:1] or not all(isinstance(each, list) for each in lists):
            raise TypeError(f"{name}.{part} must be an array of {shape[0]} lists")
    lengths, others = (np.fromiter(map(len, lists), np.int64, shape[0]) for lists in (matrix.rows, matrix.data))
    if not np.array_equal(lengths, others):
        row = int(np.flatnonzero(lengths != others)[0])
        raise ValueError(f"{name} has {lengths[row]} columns and {others[row]} values in row {row}")
    cols = _listed(chain.from_iterable(matrix.rows), "iu", (), f"{name}.rows must hold lists of integers")
    data = _listed(chain.from_iterable(matrix.data), "biufc", (), f"{name}.data must hold lists of numbers")
    _check_coords((cols,), shape[1:], name)
    return _made("csr", (_reals(data, name), cols, np.concatenate([[0], np.cumsum(lengths)])), shape)


def _of_dictionary(matrix, name: str):
    shape, modes = matrix.shape, len(matrix.shape)
    keys = _listed(matrix.keys(), "iu", (modes,) if modes > 1 else (), f"{name} must have {modes} integers in each key")
    data = _listed(matrix.values(), "biufc", (), f"{name} must hold numbers")
    coords = tuple(np.ascontiguousarray(coord) for coord in keys.reshape(-1, modes).T)
    _check_coords(coords, shape, name)
    return _made("coo", (_reals(data, name), coords), shape)
