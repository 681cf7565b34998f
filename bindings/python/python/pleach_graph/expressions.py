"""Tensors in index notation: what to compute, and not how."""

from __future__ import annotations

import copy
import functools
import re
import sys
from collections.abc import Callable, Mapping

import numpy as np

from . import _pleach
from ._arrays import array_of, optional, plain
from ._graph import Graph, Snapshot
from ._sparse import SCIPY_FORMATS, canonical, coords_of, is_sparse

#: Whether nothing else runs in the interpreter while the library reads arrays where they lie.
_ALONE = getattr(sys, "_is_gil_enabled", lambda: True)()


def _entries(name: str, value, zeros: bool = True) -> tuple[tuple[int, ...], list[np.ndarray], np.ndarray] | float:
    """Extents, a column of coordinates for each mode, and values; or a number. Of an array, those that are zero are entries, or are left out."""
    if isinstance(value, (Graph, Snapshot)):
        value = value.to_scipy()
    if is_sparse(value):
        _fits(name, value.shape)
        coo = canonical(value, name).tocoo(copy=False)
        return coo.shape, [_u32(coord) for coord in coords_of(coo)], plain(coo.data, np.float64)
    array = array_of(name, value)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} is a {type(value).__name__} of dtype {array.dtype}: expected numbers, an array or a sparse matrix")
    if array.ndim == 0:
        return float(array)
    _fits(name, array.shape)
    if not zeros:
        coords = np.nonzero(array)
        return array.shape, [_u32(coord) for coord in coords], plain(array[coords], np.float64)
    coords = [_u32(coord.reshape(-1)) for coord in np.indices(array.shape, dtype=np.int64)]
    return array.shape, coords, plain(array.reshape(-1), np.float64)


def _fits(name: str, shape) -> None:
    if any(extent > 2**32 - 1 for extent in shape):
        raise ValueError(f"{name} has the shape {shape}: coordinates have 32 bits")


def _u32(array: np.ndarray) -> np.ndarray:
    return plain(array, np.uint32)


def _is_in_order(matrix) -> bool:
    """Whether these are rows as the library takes them, whatever SciPy was told of them."""
    if matrix.format != "csr" or type(matrix.data) is not np.ndarray or matrix.data.ndim != 1 or matrix.data.dtype != np.float64:
        return False
    return _pleach.is_compressed(matrix.indptr, matrix.indices, matrix.data.size, matrix.shape, True)


def _csr(name: str, value) -> tuple[_pleach.CsrCore, tuple[int, int]]:
    """A sparse matrix as the library takes it: rows that ascend, without duplicates."""
    if isinstance(value, (Graph, Snapshot)):
        value = value.to_scipy()
    if not is_sparse(value):
        raise TypeError(f"{name} is a {type(value).__name__}: expected a sparse matrix")
    if len(value.shape) != 2:
        raise ValueError(f"{name} has {len(value.shape)} dimensions, and 2 in the expression")
    _fits(name, value.shape)
    matrix = value if _is_in_order(value) else canonical(value, name).tocsr()
    if matrix is not value and not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    indices = plain(matrix.indices, matrix.indices.dtype)
    indices = indices.view(np.uint32) if indices.dtype == np.int32 else indices.astype(np.uint32)
    indptr = plain(matrix.indptr, np.int64)
    data = plain(matrix.data, np.float64)
    used = int(indptr[-1])
    return _pleach.CsrCore(matrix.shape[1], indptr, indices[:used], data[:used]), matrix.shape


def _scipy(parts):
    """Rows that the library has made, as SciPy holds them: the same memory, where the type of indices fits."""
    from scipy.sparse import csr_array

    cols, offsets, coords, values = parts
    indptr, indices = offsets.view(np.int64), coords
    if max(cols, values.size, offsets.size) <= np.iinfo(np.int32).max:
        indptr, indices = indptr.astype(np.int32), coords.view(np.int32)
    else:
        indices = coords.astype(np.int64)
    matrix = csr_array((values, indices, indptr), shape=(offsets.size - 1, cols))
    matrix.has_sorted_indices = True
    matrix.has_canonical_format = True
    return matrix


def _rows(parts, like, shape: tuple[int, int], unique: bool = True):
    """Offsets, coordinates and values as SciPy's rows in order: a matrix such as `like`, of this shape. Unless entries are known to be `unique`, SciPy
    looks itself."""
    from scipy.sparse import csr_array

    indptr, indices, data = parts
    if type(like) is csr_array and shape == like.shape:
        # What SciPy would check of the arrays, the library has seen to.
        matrix = copy.copy(like)
        matrix.indptr, matrix.indices, matrix.data = indptr, indices, data
    else:
        matrix = csr_array((data, indices, indptr), shape=shape)
    matrix.has_sorted_indices = True
    if unique:
        matrix.has_canonical_format = True
    else:
        vars(matrix).pop("_has_canonical_format", None)
    return matrix


def _where_it_lies(form: str, names: Mapping[str, str | float]) -> Callable[[Mapping], object]:
    """What computes a form in one pass over SciPy's own arrays. It returns ``None`` if they have to be converted, or are wrong."""
    left, right = names["A"], names.get("B") or names.get("x")

    def vector(tensors: Mapping):
        a, x = tensors.get(left), tensors.get(right)
        # Another type of array may mask elements.
        return _pleach.times_vector(a, x, form == "transpose times vector") if type(x) is np.ndarray else None

    def sums(tensors: Mapping):
        a, columns = tensors.get(left), form == "sums of columns"
        if not is_sparse(a) or a.ndim != 2:
            return None
        found = _pleach.times_vector(a, np.ones(a.shape[0 if columns else 1]), columns)
        return float(found.sum()) if found is not None and form == "sum of all" else found

    def matrix(tensors: Mapping):
        a, b = tensors.get(left), tensors.get(right)
        if form == "matrix times matrix":
            parts = _pleach.times(a, b)
            return None if parts is None else _rows(parts, a, (a.shape[0], b.shape[1]))
        parts = _pleach.plus(a, b, 1.0 if form == "matrix plus matrix" else -1.0)
        return None if parts is None else _rows(parts, a, a.shape)

    def turned(tensors: Mapping):
        a = tensors.get(left)
        parts = _pleach.transpose(a) if getattr(a, "has_canonical_format", False) else None
        # Entries may have changed since SciPy was told that none is there twice.
        return None if parts is None else _rows(parts, a, a.shape[::-1], unique=False)

    return {
        "matrix times vector": vector,
        "transpose times vector": vector,
        "sums of rows": sums,
        "sums of columns": sums,
        "sum of all": sums,
        "matrix times matrix": matrix,
        "matrix plus matrix": matrix,
        "matrix minus matrix": matrix,
        "transposition": turned,
    }.get(form, lambda _: None)


def _dense(name: str, value, dimensions: int) -> np.ndarray:
    if is_sparse(value):
        shape, coords, values = _entries(name, value)
        value = np.zeros(shape)
        value[tuple(coords)] = values
    array = array_of(name, value)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} is a {type(value).__name__} of dtype {array.dtype}: expected numbers")
    if array.ndim != dimensions:
        raise ValueError(f"{name} has {array.ndim} dimensions, and {dimensions} in the expression")
    return plain(array, np.float64)


def _same(found: int, what: str, other: int, of: str) -> None:
    if found != other:
        raise ValueError(f"{what}, and {of} has {other}")


#: Kernels of the library whose result is a matrix.
_MATRICES = {
    "matrix times matrix",
    "matrix plus matrix",
    "matrix minus matrix",
    "matrix by matrix, element by element",
    "sampled product",
    "sampled product with transpose",
    "transposition",
    "number times matrix",
}


class Kernel:
    """A compiled expression, to be called any number of times. Made by `compile`.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> dot = pl.compile("s = x(i) * y(i)")
    >>> dot
    <Kernel s = x(i) * y(i)>
    >>> dot(x=[1, 2], y=[3, 4])
    11.0
    """

    def __init__(self, text: str, formats: Mapping[str, str], in_place: frozenset[str], out: str | None) -> None:
        # SciPy makes blocks, lists and dictionaries of the rows that the library computes.
        self._into = out if out in ("bsr", "lil", "dok") else None
        given, formats = formats, {name: "csr" if format == self._into else format for name, format in formats.items() if format.strip() != "dense"}
        self._text, self._formats, self._in_place, self._out = text, dict(formats), in_place, out
        self._native = _pleach.Expression(text, self._formats, sorted(in_place))
        tensors = self._native.tensors()
        self._tensors = {name: (accesses, written, read) for name, accesses, written, read in tensors}
        # The library knows of no other names, and is not asked of those that are dense.
        if unknown := [name for name in given if name not in self._tensors]:
            raise ValueError(f"formats: the expression has no tensor `{unknown[0]}`; it has {', '.join(self._tensors)}")
        self._form = self._native.in_library()
        self._fast = _where_it_lies(*self._form) if self._form and _ALONE else None
        operands = self._form[1].values() if self._form else ()
        self._needed = {name for name in operands if isinstance(name, str)}
        target = next((name for name, (_, written, _) in self._tensors.items() if written), None)
        made = self._formats.get(target, "dense")
        # The library makes rows.
        if self._form and made != "csr" and self._form[0] in _MATRICES:
            self._into = self._into or made

    @property
    def plan(self) -> str:
        """Every choice that the compiler made, with its reason."""
        return self._native.plan()

    @property
    def rust(self) -> str:
        """The kernel in Rust, as ``pleach compile`` prints it."""
        return self._native.rust()

    def explain(self) -> str:
        """How the kernel is run, and the plan of the compiler."""
        form = self._native.form()
        if self._form:
            return f"`{self._text}` is a kernel compiled into the library: {self._form[0]}, `{form}`.\n\n{self.plan}"
        why = f"no kernel compiled into the library has the form `{form}`" if form else "it is no sum of products of whole tensors"
        return f"`{self._text}` is interpreted: {why}.\n\n{self.plan}"

    @property
    def compiled(self) -> bool:
        """Whether it is a kernel compiled into the library. All others are interpreted."""
        return self._form is not None

    def _in_library(self, form: str, names: Mapping, tensors: Mapping):
        """Computes by the kernel of the library."""
        for name in names.values():
            if isinstance(name, str) and name not in tensors:
                raise ValueError(f"`{name}` has no value: pass it as {name}=…")
        matrix, shape = _csr(names["A"], tensors[names["A"]])
        if "B" in names:
            other, second = _csr(names["B"], tensors[names["B"]])
            if form == "matrix times matrix":
                _same(shape[1], f"{names['A']} has {shape[1]} columns", second[0], f"{names['B']} along the same index")
                return _scipy(matrix.times(other))
            for axis in (0, 1):
                _same(shape[axis], f"{names['A']} has the shape {shape}", second[axis], f"{names['B']} along axis {axis}")
            computed = {"matrix plus matrix": matrix.plus, "matrix minus matrix": matrix.minus}
            return _scipy(computed.get(form, matrix.by_element)(other))
        if "D" in names:
            return _scipy(matrix.sampled(*self._factors(form, names, tensors, shape)))
        if form == "transposition":
            return _scipy(matrix.transpose())
        if "s" in names:
            factor = np.asarray(names["s"]) if isinstance(names["s"], float) else array_of(names["s"], tensors[names["s"]])
            if factor.ndim or factor.dtype.kind not in "biuf":
                raise TypeError(f"{names['s']} is a scalar: pass a number")
            return _scipy(matrix.scaled(float(factor)))
        transposed = form in ("transpose times vector", "sums of columns")
        extent = shape[0 if transposed else 1]
        vector = _dense(names["x"], tensors[names["x"]], 1) if "x" in names else np.ones(extent)
        if vector.size != extent:
            index = "".join(self._tensors[names["x"]][0][0])
            raise ValueError(f"{names['x']} has {vector.size} along {index}, and {names['A']} has {extent}")
        found = matrix.times_vector(vector, transposed)
        return float(found.sum()) if form == "sum of all" else found

    def _factors(self, form: str, names: Mapping, tensors: Mapping, shape) -> tuple[np.ndarray, np.ndarray]:
        """The factors of a sampled product, a row of the one for each row of the matrix, and one of the other for each column."""
        left, right = (_dense(names[letter], tensors[names[letter]], 2) for letter in "DE")
        if form == "sampled product":
            right = plain(right.T, np.float64)
        for name, factor, extent, along in ((names["D"], left, shape[0], "rows"), (names["E"], right, shape[1], "columns")):
            _same(len(factor), f"{name} has {len(factor)} along an index of {names['A']}", extent, f"{names['A']}, whose {along} it is,")
        _same(left.shape[1], f"{names['D']} has {left.shape[1]} along the last index", right.shape[1], names["E"])
        return left, right

    def __call__(self, /, **tensors):
        """Computes the expression.

        Parameters
        ----------
        **tensors
            A value for each tensor that it reads: sparse matrices, graphs and snapshots, arrays, and numbers for scalars.

        Returns
        -------
        float, numpy.ndarray or scipy.sparse.sparray
            The result; a dictionary by name if there are several.
        """
        if self._fast is not None and tensors.keys() == self._needed:
            found = self._fast(tensors)
            if found is not None:
                return found if self._into is None else self._ascompressed(found)
        return self._compute(tensors)

    def _ascompressed(self, found):
        """Rows that the library has made, in the format of the result."""
        return found if self._into is None else found.toarray() if self._into == "dense" else found.asformat(self._into)

    def _compute(self, tensors: Mapping):
        """Computes it after a look at everything that was passed."""
        for name in tensors:
            if name not in self._tensors:
                raise TypeError(f"the expression has no tensor {name!r}; it has {', '.join(self._tensors)}")
        if self._form and all(
            is_sparse(value) or isinstance(value, (Graph, Snapshot))
            for value in (tensors.get(self._form[1].get(letter)) for letter in "AB")
            if value is not None
        ):
            form, names = self._form
            if self._needed.issuperset(tensors):
                return self._ascompressed(self._in_library(form, names, tensors))
        given = {name: _entries(name, value, name not in self._formats) for name, value in tensors.items()}
        self._check_extents(given)
        found = self._native.run({name: self._shaped(name, value) for name, value in given.items()})
        results = {name: value if entries is None else self._result(name, entries) for name, entries, value in found}
        if len(results) > 1:
            return results
        found = next(iter(results.values()))
        return self._ascompressed(found) if is_sparse(found) else found

    def _shaped(self, name: str, value):
        return value if isinstance(value, float) else (list(value[0]), value[1], value[2])

    def _check_extents(self, given: dict) -> None:
        """Tensors that share an index have the same extent along it."""
        known: dict[str, tuple[int, str]] = {}
        for name, value in given.items():
            if isinstance(value, float):
                continue
            for access in self._tensors[name][0]:
                if len(access) != len(value[0]):
                    raise ValueError(
                        f"{name} has {len(value[0])} dimensions, and {len(access)} in the expression: {self._text}"
                    )
                for index, extent in zip(access, value[0]):
                    if not index:
                        continue
                    other, of = known.setdefault(index, (extent, name))
                    if other != extent:
                        raise ValueError(f"{name} has {extent} along {index}, and {of} has {other}")

    def _result(self, name: str, entries):
        shape, coords, values = entries
        kind = self._formats.get(name)
        if kind is None:
            dense = np.zeros(shape)
            dense[tuple(coords)] = values
            return dense
        if len(shape) != 2:
            if len(shape) == 1 and self._out is None:
                dense = np.zeros(shape)
                dense[tuple(coords)] = values
                return dense
            return tuple(shape), coords, values
        coo_array = optional("scipy.sparse", f"a result in the format {kind!r}").coo_array
        matrix = coo_array((values, tuple(coord.astype(np.int64) for coord in coords)), shape=tuple(shape))
        return matrix.asformat(kind if kind in SCIPY_FORMATS else "csr")

    def __repr__(self) -> str:
        formats = "".join(f", {name} in {format}" for name, format in self._formats.items())
        return f"<Kernel {self._text}{formats}>"


@functools.lru_cache(maxsize=256)
def _compiled(text: str, formats: tuple, in_place: frozenset[str], out: str | None) -> Kernel:
    return Kernel(text, dict(formats), in_place, out)


def _checked_formats(formats) -> dict[str, str]:
    if formats is not None and not isinstance(formats, Mapping):
        raise TypeError(f"formats must map names of tensors to formats, and is a {type(formats).__name__}")
    for name, format in (formats or {}).items():
        if not isinstance(name, str) or not isinstance(format, str):
            raise TypeError(f"formats must map names of tensors to formats, and maps {name!r} to {format!r}")
    return dict(formats or {})


def compile(text: str, *, formats: Mapping[str, str] | None = None, out: str | None = None) -> Kernel:
    """Compiles an expression in index notation.

    Parameters
    ----------
    text : str
        As on the command line: ``"y(i) += A(i,j) * x(j)"``, with semirings, masks and functions.
    formats : mapping, optional
        The format of each tensor, bundled or written out. A tensor without one, or that is ``'dense'``, is dense.
    out : str, optional
        The format of the result, if `formats` does not say it.

    Returns
    -------
    Kernel

    Raises
    ------
    ValueError
        If the expression, or a format, is wrong; shows where.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> product = pl.compile("y(i) = A(i,j) * x(j)", formats={"A": "csr"})
    >>> product(A=[[1, 2], [0, 3]], x=[10, 1]).tolist()
    [12.0, 3.0]
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a string, not {type(text).__name__}")
    formats = _checked_formats(formats)
    if out is not None and not isinstance(out, str):
        raise TypeError(f"out must be the name of a format, not {type(out).__name__}")
    if out is not None and out != "dense":
        # What is no assignment, compiling refuses.
        if target := re.match(r"\s*(\w+)\s*(\()?", text):
            if target[2] is None:
                raise ValueError(f"out is {out!r}, and `{target[1]}` is a scalar, which has no format")
            formats.setdefault(target[1], out)
    return _compiled(text, tuple(sorted(formats.items())), frozenset(), out)


def einsum(text: str, /, *, out: str | None = None, formats: Mapping[str, str] | None = None, **tensors):
    """Computes an expression in index notation.

    Parameters
    ----------
    text : str
        The expression.
    out : str, optional
        The format of the result, ``'csr'`` for example, or one of SciPy's. By default it is a dense array.
    formats : mapping, optional
        The formats in which tensors are read. By default sparse ones are read as ``csr`` and others are dense. Of an array that is
        read in a sparse format, what is zero is no entry.
    **tensors
        A value for each tensor that the expression reads. Tensors called ``out`` or ``formats`` are passed to what `compile` returns.

    Returns
    -------
    float, numpy.ndarray or scipy.sparse.sparray

    Examples
    --------
    >>> import numpy as np, pleach_graph as pl
    >>> pl.einsum("s = x(i) * y(i)", x=[1, 2, 3], y=[4, 5, 6])
    32.0
    >>> graph = pl.Graph([(0, 1), (1, 2)])
    >>> pl.einsum("y(j) = A(i,j) * x(i)", A=graph, x=np.ones(3)).tolist()
    [0.0, 1.0, 1.0]
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a string, not {type(text).__name__}")
    if formats is None:
        rows = tuple(name for name, value in tensors.items() if _has_rows(value))
        return _by_kind(text, rows, out)(**tensors)
    formats = _checked_formats(formats)
    for name, value in tensors.items():
        if name not in formats and _has_rows(value):
            formats[name] = "csr"
    return compile(text, formats=formats, out=out)(**tensors)


def _has_rows(value) -> bool:
    """Whether a tensor is read by rows where nothing else is said."""
    return type(value) is not np.ndarray and (isinstance(value, (Graph, Snapshot)) or is_sparse(value) and value.ndim == 2)


@functools.lru_cache(maxsize=256)
def _by_kind(text: str, rows: tuple[str, ...], out: str | None) -> Kernel:
    return compile(text, formats=dict.fromkeys(rows, "csr"), out=out)
