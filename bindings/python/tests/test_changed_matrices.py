"""Matrices of SciPy's whose arrays were changed, and do not fit any more, or are no longer in the order that SciPy was told of."""

import numpy as np
import pytest

import pleach_graph as pl

sp = pytest.importorskip("scipy.sparse")

#: What reads a matrix, and what it calls its argument.
DOORS = {
    "convert to rows": ("matrix", lambda m: pl.convert(m, "csr")),
    "convert to columns": ("matrix", lambda m: pl.convert(m, "csc")),
    "convert to blocks": ("matrix", lambda m: pl.convert(m, "bsr")),
    "convert to an array": ("matrix", lambda m: pl.convert(m, "dense")),
    "times a vector": ("A", lambda m: pl.einsum("y(i) = A(i,j) * x(j)", A=m, x=np.ones(m.shape[1]))),
    "transpose times a vector": ("A", lambda m: pl.einsum("y(j) = A(i,j) * x(i)", A=m, x=np.ones(m.shape[0]))),
    "sum": ("A", lambda m: pl.einsum("C(i,j) = A(i,j) + B(i,j)", A=m, B=m, out="csr")),
    "scaled": ("A", lambda m: pl.einsum("C(i,j) = 2 * A(i,j)", A=m, out="csr")),
    "interpreted": ("A", lambda m: pl.einsum("s = A(i,j) * A(i,j)", A=m)),
    "graph": ("data", lambda m: pl.Graph(m, weighted=True)),
}


def changed(kind, *changes):
    """A matrix of four rows and columns in a format, with some of its arrays replaced."""
    matrix = getattr(sp, f"{kind}_array")(np.array([[1.0, 0, 2, 0], [0, 3, 0, 0], [0, 0, 0, 4], [5, 0, 0, 6]]))
    for change in changes:
        change(matrix)
    return matrix


def put(name, place, value):
    """Writes one number into an array, one list, or one entry."""

    def change(matrix):
        getattr(matrix, name)[place] = value

    return change


def replace(name, of):
    return lambda matrix: setattr(matrix, name, of(matrix))


#: Changes after which the arrays of a format are none of a matrix.
DAMAGES = {
    "coordinates too large": ("coo", lambda m: m.coords[0].__setitem__(0, 1000)),
    "coordinates below zero": ("coo", lambda m: m.coords[1].__setitem__(0, -1)),
    "fewer rows than columns": ("coo", replace("coords", lambda m: (m.coords[0][:-1], m.coords[1]))),
    "fewer values than coordinates": ("coo", replace("data", lambda m: m.data[:-1])),
    "coordinates of floats": ("coo", replace("coords", lambda m: tuple(coord.astype(float) for coord in m.coords))),
    "a column too large": ("lil", put("rows", 0, [10**6, 0])),
    "a column below zero": ("lil", put("rows", 0, [-1, 0])),
    "fewer values than columns": ("lil", put("data", 0, [])),
    "no list": ("lil", put("rows", 0, 5)),
    "columns of strings": ("lil", put("rows", 0, ["a", "b"])),
    "columns of floats": ("lil", put("rows", 0, [0.5, 1.0])),
    "values of strings": ("lil", put("data", 0, ["1", "2"])),
    "lists in lists": ("lil", put("rows", 0, [[0], [1, 2]])),
    "fewer rows": ("lil", replace("rows", lambda m: m.rows[:-1])),
    "fewer offsets than diagonals": ("dia", replace("offsets", lambda m: m.offsets[:-1])),
    "an offset twice": ("dia", put("offsets", 0, 0)),
    "one diagonal without a dimension": ("dia", replace("data", lambda m: m.data[0])),
    "offsets of floats": ("dia", replace("offsets", lambda m: m.offsets.astype(float))),
    "an end below zero": ("bsr", put("indptr", 1, -3)),
    "an end too large": ("bsr", put("indptr", -1, 1000)),
    "a block outside": ("bsr", put("indices", 0, 77)),
    "blocks without a size": ("bsr", replace("data", lambda m: np.zeros((4, 0, 0)))),
    "blocks of another size": ("bsr", replace("data", lambda m: np.ones((m.indices.size, 3, 3)))),
    "blocks of one dimension": ("bsr", replace("data", lambda m: np.ones(m.indices.size))),
    "a key outside": ("dok", lambda m: m._dict.__setitem__((7, 0), 1.0)),
    "a key below zero": ("dok", lambda m: m._dict.__setitem__((-1, 0), 1.0)),
    "a key of strings": ("dok", lambda m: m._dict.__setitem__(("a", 0), 1.0)),
    "a key of one number": ("dok", lambda m: m._dict.__setitem__(3, 1.0)),
    "a value of strings": ("dok", lambda m: m._dict.__setitem__((0, 0), "1")),
}
for kind in ("csr", "csc"):
    DAMAGES |= {
        f"{kind}: fewer ends": (kind, replace("indptr", lambda m: m.indptr[:-1])),
        f"{kind}: ends that do not begin at zero": (kind, put("indptr", 0, 1)),
        f"{kind}: an index too large": (kind, put("indices", 0, 4)),
        f"{kind}: complex numbers": (kind, replace("data", lambda m: m.data * 1j)),
    }


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_no_matrix_is_refused(door, damage):
    name, call = DOORS[door]
    kind, change = DAMAGES[damage]
    matrix = changed(kind, change)
    with pytest.raises((ValueError, TypeError), match=rf"^{name}\b"):
        call(matrix)


def test_diagonals_outside_of_a_matrix_hold_nothing():
    for offset in (-(2**31), -4, 4, 2**31 - 1):
        matrix = sp.dia_array((np.ones((2, 4)), np.array([0, 1])), shape=(4, 4))
        matrix.offsets = np.array([0, offset], np.int32)
        assert np.array_equal(pl.convert(matrix, "csr").toarray(), np.eye(4))


def same(found, expected):
    np.testing.assert_array_equal(found.toarray() if sp.issparse(found) else found, expected)


#: Changes of rows after which the matrix is another one, and SciPy's flags say what was true of the old one.
CHANGES = {
    "out of order": lambda m: (m.indices.__setitem__(slice(0, 2), [2, 0]), m.data.__setitem__(slice(0, 2), [2, 1])),
    "an entry twice": lambda m: m.indices.__setitem__(1, m.indices[0]),
    "room beyond the last entry": lambda m: (
        setattr(m, "indices", np.append(m.indices, [99, -7]).astype(m.indices.dtype)),
        setattr(m, "data", np.append(m.data, [8, 9]).astype(m.data.dtype)),
    ),
}


@pytest.mark.parametrize("kind", ["csr", "csc"])
@pytest.mark.parametrize("type", [np.float64, np.int32, np.uint8])
@pytest.mark.parametrize("change", CHANGES)
def test_flags_that_are_out_of_date(kind, type, change):
    matrix = changed(kind).astype(type)
    assert matrix.has_canonical_format
    CHANGES[change](matrix)
    dense = np.zeros((4, 4))
    for at, (begin, end) in enumerate(zip(matrix.indptr, matrix.indptr[1:])):
        for minor, number in zip(matrix.indices[begin:end].tolist(), matrix.data[begin:end].tolist()):
            dense[(at, minor) if kind == "csr" else (minor, at)] += number
    x = np.arange(1.0, 5)
    for format in ("csr", "csc", "coo", "dia", "bsr", "lil", "dok", "dense"):
        same(pl.convert(matrix, format), dense)
    same(pl.Graph(matrix, weighted=True).to_scipy(), dense)
    for given in (x, x.tolist()):
        same(pl.einsum("y(i) = A(i,j) * x(j)", A=matrix, x=given), dense @ x)
        same(pl.einsum("y(j) = A(i,j) * x(i)", A=matrix, x=given), dense.T @ x)
    same(pl.einsum("C(i,j) = A(i,j) + B(i,j)", A=matrix, B=matrix, out="csr"), 2 * dense)
    same(pl.einsum("C(i,j) = A(i,j) * B(i,j)", A=matrix, B=matrix, out="csr"), dense * dense)
    same(pl.einsum("C(i,j) = 2 * A(i,j)", A=matrix, out="csr"), 2 * dense)
    same(pl.einsum("C(j,i) = A(i,j)", A=matrix, out="csr"), dense.T)
    assert pl.einsum("s = A(i,j) * A(i,j)", A=matrix) == (dense * dense).sum()


@pytest.mark.parametrize("kind", ["csr", "coo"])
def test_a_graph_does_not_believe_flags(kind):
    matrix = sp.csr_array(([1.0, 2, 4], [0, 1, 1], [0, 2, 3]), shape=(2, 2)).asformat(kind)
    matrix.sum_duplicates()
    assert matrix.has_canonical_format
    (matrix.indices if kind == "csr" else matrix.coords[1])[1] = 0
    assert pl.Graph(matrix).to_scipy().toarray().tolist() == [[3, 0], [0, 4]]


def test_a_converted_matrix_knows_of_its_duplicates():
    rows = sp.csr_array(([1.0, 2, 4], [0, 1, 1], [0, 2, 3]), shape=(2, 2))
    assert rows.has_canonical_format
    rows.indices[1] = 0
    for kind in ("csc", "coo", "dok"):
        found = pl.convert(rows, kind)
        assert found.asformat("dok")[0, 0] == 3
    turned = pl.einsum("C(j,i) = A(i,j)", A=rows, out="csr")
    assert turned.has_canonical_format == (turned.nnz == 2) and turned.todok()[0, 0] == 3


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "lil"])
@pytest.mark.parametrize(("type", "numbers", "sum"), [(np.uint8, (200, 100), 300), (np.int8, (100, 100), 200), (bool, (True, True), 2)])
def test_entries_of_one_place_are_added_up_as_floats(kind, type, numbers, sum):
    entries = sp.coo_array((np.array(numbers, type), ([0, 0], [1, 1])), shape=(2, 2))
    # SciPy adds them up in their own type.
    matrix = {
        "csr": lambda: sp.csr_array((entries.data, entries.coords[1], [0, 2, 2]), shape=(2, 2)),
        "csc": lambda: sp.csc_array((entries.data, entries.coords[0], [0, 0, 2]), shape=(2, 2)),
        "coo": lambda: entries,
        "bsr": lambda: sp.bsr_array((entries.data.reshape(2, 1, 1), entries.coords[1], [0, 2, 2]), shape=(2, 2)),
        "lil": lambda: put("data", 0, list(numbers))(made) or put("rows", 0, [1, 1])(made) or made,
    }
    made = sp.lil_array((2, 2), dtype=type)
    for text in ("y(i) = A(i,j)", "y(i) = A(i,j) * A(i,j)", "y(i) = A(i,j) * x(j)"):
        x = {"x": [1, 1]} if "x" in text else {}
        expected = sum * sum if "A(i,j) * A" in text else sum
        assert pl.einsum(text, A=matrix[kind](), **x).tolist() == [expected, 0]
    assert pl.convert(matrix[kind](), "dense")[0, 1] == sum
    assert pl.Graph(matrix[kind](), weighted=True).weight(0, 1) == sum


def test_sparse_tensors_of_other_orders_are_looked_at():
    coo = sp.coo_array(np.array([0.0, 2.0, 3.0]))
    coo.coords[0][0] = 9
    with pytest.raises(ValueError, match="A holds the coordinate 9"):
        pl.einsum("s = A(i)", A=coo)
