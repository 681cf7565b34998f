"""Matrices in other formats."""

from __future__ import annotations

import numpy as np

from . import _pleach
from ._arrays import array_of, optional, plain
from ._formats import blocks, compressed, coordinates, lists
from ._graph import Graph, Snapshot
from ._sparse import SCIPY_FORMATS, canonical, is_sparse


def _compressed(matrix, kind: str):
    """A matrix of SciPy's as compressed rows or columns, by the library. ``None`` for one that it does not take."""
    if matrix.dtype != np.float64:
        return None
    if matrix.format in ("csr", "csc"):
        parts = _pleach.turn(matrix.indptr, matrix.indices, matrix.data, matrix.shape[1 if matrix.format == "csr" else 0])
        # Only now it is known that SciPy may look at them. What it knows of duplicates may be out of date: it shall look at the result itself.
        return compressed(kind, parts, matrix.shape, unique=False) if parts is not None and matrix.has_canonical_format else None
    if matrix.format == "coo":
        rows, cols, shape = matrix.row, matrix.col, matrix.shape
        major, minor, extents = (rows, cols, shape) if kind == "csr" else (cols, rows, shape[::-1])
        # Entries may have changed since SciPy was told that none is there twice.
        unique = matrix.has_canonical_format
        parts = _pleach.compress(major, minor, matrix.data, extents, unique)
        return None if parts is None else compressed(kind, parts, shape, unique=not unique)
    return None


def _dense_of(matrix, kind: str):
    """A matrix of SciPy's in a format as a dense array, by the library. ``None`` for one that it does not take."""
    if kind == "coo":
        return _pleach.scattered(matrix.row, matrix.col, matrix.data, matrix.shape, False) if matrix.ndim == 2 else None
    if kind not in ("csr", "csc"):
        return None
    return _pleach.scattered(matrix.indptr, matrix.indices, matrix.data, matrix.shape, True, kind == "csc")


def _by_library(matrix, format: str):
    """A matrix of SciPy's in another format, by the library. ``None`` where SciPy has to do it."""
    kind, shape = matrix.format, matrix.shape
    if kind in ("csr", "csc") and matrix.indptr.size != shape[kind == "csc"] + 1:
        return None
    if format in ("csr", "csc"):
        return None if kind == format else _compressed(matrix, format)
    if format == "dense":
        return _dense_of(matrix, kind)
    if kind == "coo" and format == "dia":
        matrix, kind = _compressed(matrix, "csr"), "csr"
        if matrix is None:
            return None
    if kind not in ("csr", "csc") or matrix.dtype != np.float64:
        return None
    if format == "coo":
        # SciPy looks whether the coordinates are in range.
        rows = _pleach.expand(matrix.indptr, matrix.data.size) if matrix.indices.size == matrix.data.size else None
        if rows is None:
            return None
        # Only now it is known that the library may look at them, and SciPy too.
        if not _pleach.is_compressed(matrix.indptr, matrix.indices, matrix.data.size, shape if kind == "csr" else shape[::-1]):
            return None
        ends = (rows, matrix.indices) if kind == "csr" else (matrix.indices, rows)
        return coordinates(*ends, matrix.data, shape) if matrix.has_canonical_format else None
    if format == "dia":
        rows = matrix if kind == "csr" else _compressed(matrix, "csr")
        from scipy.sparse import dia_array

        found = None if rows is None else _pleach.diagonals(rows.indptr, rows.indices, rows.data, shape[1])
        return dia_array(found[::-1], shape=shape) if found is not None else None
    return None


#: The types of SciPy's arrays by rows, columns and coordinates, once SciPy was used.
_PLAIN: dict[type, str] = {}


def _know_plain() -> None:
    if not _PLAIN:
        import scipy.sparse

        _PLAIN.update((getattr(scipy.sparse, f"{kind}_array"), kind) for kind in ("csr", "csc", "coo"))


def _of_rows(matrix, format: str):
    """Compressed rows of SciPy's as lists, blocks or a dictionary. ``None`` if they are not in order, or are none."""
    indptr, indices, data, shape = matrix.indptr, matrix.indices, matrix.data, matrix.shape
    if data.dtype != np.float64 or data.ndim != 1:
        return None
    if format == "bsr":
        found = _pleach.blocks(indptr, indices, data, shape)
        return blocks(matrix, *found) if found is not None and matrix.has_canonical_format else None
    if not _pleach.is_compressed(indptr, indices, data.size, shape, True):
        return None
    if format == "lil":
        return lists(matrix)
    # SciPy reads the room beyond the last entry, too.
    rows = _pleach.expand(indptr, data.size) if indices.size == data.size else None
    if rows is None:
        return None
    entries = coordinates(rows, indices, data, shape)
    # SciPy would sort them to see that none is there twice.
    entries.has_canonical_format = True
    return entries.todok()


def _at_once(matrix, format: str):
    """The conversion of an array of SciPy's without a look at it from here: the library checks what it reads. ``None`` if it does not take it."""
    kind = _PLAIN[type(matrix)]
    if type(matrix.data) is not np.ndarray or kind == format:
        return None
    try:
        if format == "dense":
            return _dense_of(matrix, kind)
        if format in ("lil", "bsr", "dok"):
            rows = matrix if kind == "csr" else _compressed(matrix, "csr")
            return None if rows is None else _of_rows(rows, format)
        return _by_library(matrix, format)
    except (AttributeError, TypeError, ValueError):
        return None


def convert(matrix, format: str):
    """A matrix in another format of SciPy's.

    Parameters
    ----------
    matrix
        A sparse matrix, a graph or snapshot, or a dense array of two dimensions.
    format : {'csr', 'csc', 'coo', 'dia', 'bsr', 'lil', 'dok', 'dense'}
        The format that it shall have.

    Returns
    -------
    scipy.sparse.sparray or numpy.ndarray

    Examples
    --------
    >>> import pleach_graph as pl
    >>> pl.convert([[1, 0], [0, 2]], "csc").data.tolist()
    [1.0, 2.0]
    """
    if format != "dense" and format not in SCIPY_FORMATS:
        raise ValueError(f"format must be {', '.join(map(repr, SCIPY_FORMATS))} or 'dense', not {format!r}")
    if type(matrix) in _PLAIN and isinstance(format, str):
        # What this does not take is looked at below.
        found = _at_once(matrix, format)
        if found is not None:
            return found
    optional("scipy.sparse", "convert")
    _know_plain()
    if isinstance(matrix, (Graph, Snapshot)):
        matrix = matrix.to_scipy()
    if not is_sparse(matrix):
        matrix = _of_dense(matrix)
    if matrix.ndim != 2:
        raise ValueError(f"matrix must have two dimensions, and has {matrix.ndim}")
    matrix = canonical(matrix, "matrix")
    found = _at_once(matrix, format) if type(matrix) in _PLAIN else None
    if found is not None:
        return found
    return matrix.toarray() if format == "dense" else matrix.asformat(format)


def _of_dense(array):
    """Compressed rows of what is not zero in a dense array."""
    from scipy.sparse import csr_array

    array = array_of("matrix", array)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"matrix has the dtype {array.dtype}: expected numbers, an array or a sparse matrix")
    if array.ndim != 2:
        raise ValueError(f"matrix must have two dimensions, and has {array.ndim}")
    array = plain(array, np.float64)
    parts = _pleach.nonzeros(array)
    return csr_array(array) if parts is None else compressed("csr", parts, array.shape)
