"""Expressions: what they compute, how, and that SciPy computes the same."""

import functools
import os
import pathlib
import re
import warnings

import numpy as np
import pytest

import pleach_graph as pl

scipy = pytest.importorskip("scipy.sparse")


def matrices():
    """The shared matrices, and some made to be awkward."""
    rng = np.random.default_rng(4)
    yield "empty", scipy.csr_array((3, 4))
    yield "none", scipy.csr_array((0, 0))
    yield "one", scipy.csr_array(np.array([[2.5]]))
    yield "a full row", scipy.csr_array(np.vstack([np.ones(50), np.zeros((49, 50))]))
    yield "random", scipy.random_array((70, 40), density=0.1, rng=rng, format="csr")
    shared = pathlib.Path(os.environ.get("PLEACH_DATA", "/nowhere")) / "matrices"
    from scipy.io import mmread

    for path in sorted(shared.glob("*.mtx*")):
        matrix = mmread(path, spmatrix=False)
        if isinstance(matrix, np.ndarray):
            matrix = scipy.csr_array(matrix)
        if matrix.dtype.kind != "c":
            yield path.name, scipy.csr_array(matrix, dtype=np.float64)
    for path in sorted(shared.glob("*.rua.gz")):
        # SciPy does not read this format of numbers.
        yield path.name, pl.read(path).to_scipy(copy=True)


MATRICES = list(matrices())


@pytest.fixture(params=[name for name, _ in MATRICES])
def matrix(request):
    return dict(MATRICES)[request.param]


def equal(ours, theirs):
    assert ours.shape == theirs.shape
    theirs = scipy.csr_array(theirs)
    theirs.sum_duplicates()
    difference = abs(scipy.csr_array(ours) - theirs)
    assert not difference.nnz or difference.max() <= 1e-12 * max(abs(theirs).max(), 1)


def near(ours, theirs, size):
    assert np.shape(ours) == np.shape(theirs)
    assert np.all(np.abs(np.asarray(ours) - theirs) <= 1e-13 * size)


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_products_and_sums_are_those_of_scipy(matrix, index):
    matrix = matrix.copy()
    matrix.indptr, matrix.indices = matrix.indptr.astype(index), matrix.indices.astype(index)
    rng = np.random.default_rng(1)
    x, y = rng.random(matrix.shape[1]), rng.random(matrix.shape[0])
    # Rounding is in proportion to the sum of absolute values.
    near(pl.einsum("y(i) = A(i,j) * x(j)", A=matrix, x=x), matrix @ x, abs(matrix) @ x)
    near(pl.einsum("y(j) += A(i,j) * x(i)", A=matrix, x=y), matrix.T @ y, abs(matrix).T @ y)
    near(pl.einsum("y(i) = A(i,j)", A=matrix), matrix.sum(axis=1), abs(matrix).sum(axis=1))
    near(pl.einsum("s = A(i,j)", A=matrix), matrix.sum(), abs(matrix).sum())
    turned = scipy.csr_array(matrix.T)
    equal(pl.einsum("T(j,i) = A(i,j)", A=matrix, out="csr"), turned)
    equal(pl.einsum("C(i,j) = A(i,k) * B(k,j)", A=matrix, B=turned, out="csr"), matrix @ turned)
    other = matrix * 0.5
    equal(pl.einsum("C(i,j) = A(i,j) + B(i,j)", A=matrix, B=other, out="csr"), matrix + other)
    equal(pl.einsum("C(i,j) = A(i,j) - B(i,j)", A=matrix, B=other, out="csr"), matrix - other)
    equal(pl.einsum("C(i,j) = a * A(i,j)", A=matrix, a=-3, out="csr"), matrix * -3)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "dia", "bsr", "lil", "dok", "dense"])
def test_conversion_is_that_of_scipy(matrix, kind):
    if matrix.nnz > 10_000 and kind in ("dia", "bsr", "dense", "lil", "dok"):
        pytest.skip("takes long, or much memory")
    if kind == "bsr" and 0 in matrix.shape:
        pytest.skip("SciPy has no such blocks")
    with warnings.catch_warnings():
        # Of a matrix with many diagonals.
        warnings.simplefilter("ignore")
        found = pl.convert(matrix, kind)
    if kind == "dense":
        assert np.array_equal(found, matrix.toarray())
    else:
        assert found.format == kind
        equal(found, matrix)


def test_interpreted_as_compiled():
    rng = np.random.default_rng(2)
    left, right = (scipy.random_array((12, 12), density=0.3, rng=rng, format="csr") for _ in range(2))
    x = rng.random(12)
    for text, out, tensors in [
        ("C(i,j) = A(i,k) * B(k,j)", "csr", {"A": left, "B": right}),
        ("C(i,j) = A(i,j) + B(i,j)", "csr", {"A": left, "B": right}),
        ("y(i) = A(i,j) * x(j)", None, {"A": left, "x": x}),
        ("C(j,i) = A(i,j)", "csr", {"A": left}),
    ]:
        fast = pl.compile(text, formats={name: "csr" for name in tensors if name != "x"}, out=out)
        slow = pl.compile(text, formats={name: "dcsr" for name in tensors if name != "x"}, out=out)
        assert fast.compiled and not slow.compiled
        assert "compiled into the library" in fast.explain() and "interpreted" in slow.explain()
        ours, theirs = fast(**tensors), slow(**tensors)
        equal(ours, theirs) if out else np.testing.assert_allclose(ours, theirs)


def test_forms_that_are_none():
    # What repeats an index, or has another form, is interpreted.
    assert not pl.compile("y(i) = A(i,i)", formats={"A": "csr"}).compiled
    assert not pl.compile("C(i,j) = A(i,j) * B(j,i)", formats={"A": "csr", "B": "csr"}, out="csr").compiled
    assert not pl.compile("C(i,j)<A> = A(i,k) * B(k,j)", formats={"A": "csr", "B": "csr"}, out="csr").compiled
    assert not pl.compile("y(i) = A(i,j) * x(j) over min_plus", formats={"A": "csr"}).compiled
    assert not pl.compile("y(i) = A(i,0:2)", formats={"A": "csr"}).compiled
    kernel = pl.compile("y(i) = A(i,j) * x(j) * z(j)", formats={"A": "csr"})
    assert not kernel.compiled
    assert "the form `dense(0) = dense(1) * dense(1) * sparse(0,1)`" in kernel.explain()


#: Ways to write what is one kernel of the library.
SPELLINGS = {
    "matrix times vector": ["y(i) = A(i,j) * x(j)", "y(r)=M(r,c)*v(c)", "y( r )  +=  v(c)*M(r,c)", "y(j) = (x(i)) * A(j,i)"],
    "transpose times vector": ["y(j) = A(i,j) * x(i)", "y(i) = v(k) * M(k,i)", "out(a) += M(b,a)*v(b)"],
    "matrix times matrix": ["C(i,j) = A(i,k) * B(k,j)", "Out(u, v) = L(u, w) * R(w, v)", "C(x,y)=B(z,y)*A(x,z)", "C(i,j) = A(i,k) * A(k,j)"],
    "matrix plus matrix": ["C(i,j) = A(i,j) + B(i,j)", "S(a,b) = Q(a,b)+P(a,b)", "C(i,j) = A(i,j) - -B(i,j)"],
    "matrix minus matrix": ["C(i,j) = A(i,j) - B(i,j)", "S(a,b) = -P(a,b) + Q(a,b)", "C(i,j) = A(i,j) + -(B(i,j))"],
    "matrix by matrix, element by element": ["C(i,j) = A(i,j) * B(i,j)", "Z(p,q)=B(p,q)*A(p,q)"],
    "transposition": ["C(j,i) = A(i,j)", "T(a,b)=M(b,a)"],
    "number times matrix": ["C(i,j) = s * A(i,j)", "C(u,v) = M(u,v) * s", "C(i,j) = 2.5 * A(i,j)", "C(i,j) = A(i,j) * 2.5"],
    "sampled product": ["C(i,j) = S(i,j) * D(i,k) * E(k,j)", "C(i,j) += E(k,j) * (S(i,j) * D(i,k))", "R(b,a)=F(c,a)*G(b,c)*H(b,a)"],
    "sampled product with transpose": ["C(i,j) = S(i,j) * D(i,k) * E(j,k)", "C(i,j) = E(j,k) * D(i,k) * S(i,j)"],
    "sums of rows": ["y(i) = A(i,j)", "t(b) += M(b,a)"],
    "sums of columns": ["y(j) = A(i,j)", "t(a) = M(b,a)"],
    "sum of all": ["r = A(i,j)", "total += M(u,v)"],
}


@pytest.mark.parametrize("form", SPELLINGS)
def test_one_kernel_however_it_is_written(form):
    rng = np.random.default_rng(4)
    forms = set()
    for text in SPELLINGS[form]:
        target, value = text.split("=", 1)
        accesses = re.findall(r"(\w+)\s*\(", value)
        dense = {"x", "v", "D", "E", "F", "G"}
        sparse = {name: scipy.random_array((9, 9), density=0.4, rng=rng, format="csr") for name in accesses if name not in dense}
        tensors = sparse | {name: rng.random(9 if name in "xv" else (9, 9)) for name in accesses if name in dense}
        if re.search(r"\bs\b", value):
            tensors["s"] = 1.5
        matrix = target.count(",") == 1
        kernel = pl.compile(text, formats=dict.fromkeys(sparse, "csr"), out="csr" if matrix else None)
        slow = pl.compile(text, formats=dict.fromkeys(sparse, "dcsr"), out="dcsr" if matrix else None)
        assert kernel.compiled and not slow.compiled, text
        assert f"compiled into the library: {form}, `" in kernel.explain()
        forms.add(kernel.explain().split("`")[3])
        ours, theirs = kernel(**tensors), slow(**tensors)
        for found in (ours, kernel(**{name: value if name in dense | {"s"} else value.tocsc() for name, value in tensors.items()})):
            if matrix:
                np.testing.assert_allclose(found.toarray(), theirs.toarray(), rtol=1e-12)
            else:
                np.testing.assert_allclose(found, theirs, rtol=1e-12)
    # A number of the text is an operand as a scalar is.
    assert len(forms) == 1, forms


@pytest.mark.parametrize("out", ["csr", "csc", "coo", "bsr", "lil", "dok", None])
def test_results_of_the_library_in_any_format(out):
    rng = np.random.default_rng(6)
    a, b = (scipy.random_array((8, 8), density=0.4, rng=rng, format="csr") for _ in range(2))
    formats = {"A": "csc", "B": "coo"}
    for text, expected in [("C(i,j) = A(i,k) * B(k,j)", a @ b), ("C(i,j) = A(i,j) + B(i,j)", a + b), ("C(j,i) = A(i,j)", a.T)]:
        used = {name: value for name, value in (("A", a), ("B", b)) if name in text}
        kernel = pl.compile(text, formats={name: formats[name] for name in used}, out=out)
        assert kernel.compiled
        for given in (used, {name: value.tocsc() for name, value in used.items()}):
            found = kernel(**given)
            assert (found.format if out else type(found)) == (out or np.ndarray)
            np.testing.assert_allclose(found.toarray() if out else found, expected.toarray())


def test_factors_in_any_order():
    rng = np.random.default_rng(9)
    a, b = (scipy.random_array((20, 20), density=0.2, rng=rng, format="csr") for _ in range(2))
    x = rng.random(20)
    for text, expected in [
        ("y(i) += x(j) * A(i,j)", a @ x),
        ("y(j) = x(i) * A(i,j)", a.T @ x),
    ]:
        kernel = pl.compile(text, formats={"A": "csr"})
        assert kernel.compiled and kernel(A=a, x=x) == pytest.approx(expected)
    kernel = pl.compile("C(i,j) = B(k,j) * A(i,k)", formats={"A": "csr", "B": "csr"}, out="csr")
    assert kernel.compiled
    equal(kernel(A=a, B=b), a @ b)


def test_products_by_element_and_sampled():
    rng = np.random.default_rng(10)
    for shape in ((30, 20), (1, 7), (4, 0)):
        a, b = (scipy.random_array(shape, density=0.3, rng=rng, format="csr") for _ in range(2))
        kernel = pl.compile("C(i,j) = A(i,j) * B(i,j)", formats={"A": "csr", "B": "csr"}, out="csr")
        assert kernel.compiled
        equal(kernel(A=a, B=b), a * b)
        d, e = rng.random((shape[0], 5)), rng.random((5, shape[1]))
        for text, tensors in [
            ("C(i,j) = S(i,j) * D(i,k) * E(k,j)", {"S": a, "D": d, "E": e}),
            ("C(i,j) += D(i,k) * E(k,j) * S(i,j)", {"S": a, "D": d.tolist(), "E": np.asfortranarray(e)}),
            ("C(i,j) = S(i,j) * D(i,k) * E(j,k)", {"S": a, "D": d, "E": e.T}),
        ]:
            assert pl.compile(text, formats={"S": "csr"}, out="csr").compiled
            equal(pl.einsum(text, **tensors, out="csr"), a.multiply(d @ e).tocsr())
    a = scipy.csr_array((3, 4))
    with pytest.raises(ValueError, match="D has 2 along"):
        pl.einsum("C(i,j) = S(i,j) * D(i,k) * E(k,j)", S=a, D=np.ones((2, 2)), E=np.ones((2, 4)), out="csr")
    with pytest.raises(ValueError, match="D has 3 along the last index, and E has 2"):
        pl.einsum("C(i,j) = S(i,j) * D(i,k) * E(k,j)", S=a, D=np.ones((3, 3)), E=np.ones((2, 4)), out="csr")
    with pytest.raises(ValueError, match="A has the shape"):
        pl.einsum("C(i,j) = A(i,j) * B(i,j)", A=a, B=scipy.csr_array((4, 3)), out="csr")


def test_sparse_tensors_of_other_orders():
    x = scipy.coo_array(np.array([0.0, 2.0, 3.0]))
    assert pl.einsum("s = x(i) * x(i)", x=x) == 13
    assert pl.einsum("y(i) = A(i,j) * x(j)", A=scipy.csr_array(np.eye(3)), x=x).tolist() == [0, 2, 3]
    cube = scipy.coo_array((np.array([2.0, 3.0]), (np.array([0, 1]), np.array([1, 0]), np.array([1, 1]))), shape=(2, 2, 2))
    assert pl.einsum("y(k) = T(i,j,k)", T=cube).tolist() == [0, 5]


@pytest.mark.parametrize("kind", ["coo", "csr", "csc", "dia", "bsr", "lil", "dok"])
def test_results_in_every_format_of_scipy(kind):
    a = scipy.csr_array(np.array([[1.0, 2], [0, 3]]))
    for text in ("C(i,j) = A(i,j) + A(i,j)", "C(i,j) = A(i,j) + B(i,j)"):
        tensors = {"A": a} | ({"B": a} if "B" in text else {})
        found = pl.einsum(text, **tensors, out=kind)
        assert found.format == kind and np.array_equal(found.toarray(), 2 * a.toarray())


def test_tensors_of_any_name():
    kernel = pl.compile("y(i) = out(i) * formats(i) * self(i)")
    assert kernel(**{"out": [1, 2], "formats": [3, 4], "self": [1, 1]}).tolist() == [3, 8]
    assert pl.einsum("s = text(i)", text=[1, 2]) == 3


def test_arrays_that_are_not_aligned():
    place = np.zeros(3 * 8 + 1, dtype=np.uint8)
    x = place[1:].view(np.float64)
    x[:] = [1, 2, 3]
    assert not x.flags.aligned
    assert pl.einsum("y(i) = A(i,j) * x(j)", A=scipy.csr_array(np.eye(3)), x=x).tolist() == [1, 2, 3]
    assert pl.Graph((np.array([0, 1, 2]), np.array([1, 2, 0]), x)).weight(2, 0) == 3
    assert pl.einsum("s = x(i)", x=x.astype(">f8")) == 6


def test_beyond_scipy():
    graph = pl.Graph([("a", "b", 2.0), ("b", "c", 3.0)])
    left = scipy.csr_array(np.array([[1.0, 2], [0, 3]]))
    # Sampled products, masks by products, and a square.
    assert pl.einsum("C(i,j) = A(i,j) * x(i) * y(j)", A=left, x=[1, 2], y=[3, 4], out="csr").toarray().tolist() == [[3, 8], [0, 24]]
    assert pl.einsum("C(i,j) = A(i,k) * A(k,j)", A=graph, out="csr").toarray().tolist() == [[0, 0, 6], [0] * 3, [0] * 3]
    assert pl.einsum("s = A(i,j) * A(i,j)", A=left) == 14
    kernel = pl.compile("y(i) = A(i,j) * x(j)", formats={"A": "csr"})
    assert "pub fn" in kernel.rust and kernel.plan and "Kernel y(i)" in repr(kernel)
    assert pl.compile("y(i) = A(i,j) * x(j)", formats={"A": "csr"}) is kernel


def test_a_result_is_not_copied():
    kernel = pl.compile("C(i,j) = s * A(i,j)", formats={"A": "csr"}, out="csr")
    found = kernel(A=scipy.csr_array(np.eye(100)), s=2.0)
    # The values are those that the library has allocated: NumPy does not own them.
    assert found.data.base is not None and not found.data.flags.owndata
    assert found.indices.dtype == np.int32 and not found.indices.flags.owndata


def test_arguments_are_not_changed_or_kept():
    matrix = scipy.csr_array(np.array([[0.0, 1], [2, 0]]))
    before = matrix.copy()
    found = pl.einsum("C(i,j) = A(i,j) + B(i,j)", A=matrix, B=matrix, out="csr")
    matrix.data[:] = np.nan
    assert found.toarray().tolist() == (before + before).toarray().tolist()
    unsorted = scipy.csr_array((np.array([1.0, 2, 4]), np.array([1, 0, 1]), np.array([0, 3, 3])), shape=(2, 2))
    assert pl.einsum("y(i) = A(i,j) * x(j)", A=unsorted, x=[1, 10]).tolist() == [52, 0]
    assert unsorted.nnz == 3
    # Equal arrays that do not ascend are no rows that can be added in order.
    for sign, expected in (("+", [[4, 10], [0, 0]]), ("-", [[0, 0], [0, 0]])):
        found = pl.einsum(f"C(i,j) = A(i,j) {sign} B(i,j)", A=unsorted, B=unsorted.copy(), out="csr")
        assert found.toarray().tolist() == expected


def in_every_way(matrix):
    """The matrix with both types of indices, as an array and as a matrix, and with its entries in another order."""
    yield matrix
    yield scipy.csr_matrix(matrix)
    wide = matrix.copy()
    wide.indptr, wide.indices = wide.indptr.astype(np.int64), wide.indices.astype(np.int64)
    yield wide
    backwards = matrix.copy()
    for row in range(matrix.shape[0]):
        span = slice(matrix.indptr[row], matrix.indptr[row + 1])
        backwards.indices[span], backwards.data[span] = matrix.indices[span][::-1], matrix.data[span][::-1]
    backwards.has_sorted_indices = backwards.has_canonical_format = False
    yield backwards


def test_where_scipy_keeps_them():
    for name, matrix in matrices():
        matrix = scipy.csr_array(matrix, dtype=np.float64)
        rows, cols = matrix.shape
        x, z = np.arange(cols) + 0.5, np.arange(rows) - 0.5
        other = matrix[:, ::-1].tocsr()
        near = functools.partial(np.testing.assert_allclose, rtol=1e-12, atol=1e-12 * (abs(matrix).sum() + 1), err_msg=name)
        for kind in in_every_way(matrix):
            near(pl.einsum("y(i) = A(i,j) * x(j)", A=kind, x=x), matrix @ x)
            near(pl.einsum("y(j) = A(i,j) * z(i)", A=kind, z=z), z @ matrix)
            near(pl.einsum("y(i) = A(i,j)", A=kind), matrix.sum(axis=1))
            equal(pl.einsum("C(i,j) = A(i,j) + B(i,j)", A=kind, B=other, out="csr"), matrix + other)
            equal(pl.einsum("C(i,j) = A(i,j) - B(i,j)", A=kind, B=other, out="csr"), matrix - other)
            turned = pl.einsum("C(j,i) = A(i,j)", A=kind, out="csr")
            equal(turned, matrix.T.tocsr())
            product = pl.einsum("C(i,j) = A(i,k) * B(k,j)", A=kind, B=turned, out="csr")
            equal(product, matrix @ matrix.T)
            for made in (turned, product):
                made.has_canonical_format = made.has_sorted_indices = None
                del made._has_canonical_format, made._has_sorted_indices
                assert made.has_canonical_format, name


def test_by_several_threads():
    rng = np.random.default_rng(6)
    left, right = (scipy.random_array((3000, 50_000), density=0.008, rng=rng, format="csr") for _ in range(2))
    assert left.nnz + right.nnz > 2**21
    threads = pl.get_threads()
    try:
        for count in (1, 2, 3, 7):
            pl.set_threads(count)
            equal(pl.einsum("C(i,j) = A(i,j) + B(i,j)", A=left, B=right, out="csr"), left + right)
    finally:
        pl.set_threads(threads)


def test_arrays_that_are_no_rows():
    rows = lambda indptr, indices: (np.ones(len(indices)), np.array(indices, np.int32), np.array(indptr, np.int32))
    x = np.ones(3)
    for arrays in [([0, 2, 3], [0, -1, 2]), ([0, 2, 3], [0, 3, 2]), ([0, 3, 2], [0, 1, 2]), ([0, 2, 9], [0, 1, 2]), ([0, -1, 3], [0, 1, 2])]:
        broken = scipy.csr_array((2, 3))
        broken.data, broken.indices, broken.indptr = rows(*arrays)
        for text, tensors in [
            ("y(i) = A(i,j) * x(j)", {"A": broken, "x": x}),
            ("y(j) = A(i,j) * x(i)", {"A": broken, "x": x[:2]}),
            ("C(i,j) = A(i,j) + B(i,j)", {"A": broken, "B": broken}),
            ("C(i,j) = A(i,k) * B(k,j)", {"A": broken, "B": scipy.csr_array(np.eye(3))}),
            ("C(j,i) = A(i,j)", {"A": broken}),
        ]:
            broken.has_canonical_format = broken.has_sorted_indices = True
            with pytest.raises(ValueError, match=r"A\.(indptr|indices)"):
                pl.einsum(text, out="csr" if text[0] == "C" else None, **tensors)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("sign", ["+", "-"])
def test_negative_indices_have_no_sum(index, sign):
    for which in "AB":
        for first in (-1, np.iinfo(np.int32).min):
            tensors = {name: scipy.csr_array(np.eye(3)) for name in "AB"}
            for tensor in tensors.values():
                tensor.indptr, tensor.indices = tensor.indptr.astype(index), tensor.indices.astype(index)
            tensors[which].indices[0] = first
            with pytest.raises(ValueError, match=rf"{which}\.indices holds {first}"):
                pl.einsum(f"C(i,j) = A(i,j) {sign} B(i,j)", **tensors, out="csr")


def test_mismatches_name_the_argument():
    left, right = scipy.csr_array((2, 3)), scipy.csr_array((2, 3))
    with pytest.raises(ValueError, match="A has 3 columns, and B"):
        pl.einsum("C(i,j) = A(i,k) * B(k,j)", A=left, B=right, out="csr")
    with pytest.raises(ValueError, match="A has the shape"):
        pl.einsum("C(i,j) = A(i,j) + B(i,j)", A=left, B=scipy.csr_array((3, 3)), out="csr")
    with pytest.raises(ValueError, match="x has 2 along j"):
        pl.einsum("y(i) = A(i,j) * x(j)", A=left, x=[1, 2])
    with pytest.raises(ValueError, match="`B` has no value"):
        pl.compile("C(i,j) = A(i,j) + B(i,j)", formats={"A": "csr", "B": "csr"}, out="csr")(A=left)
    with pytest.raises(TypeError, match="a is a scalar"):
        pl.einsum("C(i,j) = a * A(i,j)", A=left, a=[1, 2], out="csr")
    with pytest.raises(TypeError, match="complex"):
        pl.einsum("y(i) = A(i,j)", A=scipy.csr_array(np.array([[1j]])))
    with pytest.raises(ValueError, match="format must be"):
        pl.convert(left, "shoe")


def test_compressed_rows_become_columns():
    rng = np.random.default_rng(5)
    for shape in ((5, 7), (0, 0), (1, 1), (300, 20), (20, 300)):
        for index in (np.int32, np.int64):
            for held in ("csr", "csc"):
                a = scipy.random_array(shape, density=0.3, rng=rng, format=held)
                a.indices, a.indptr = a.indices.astype(index), a.indptr.astype(index)
                for wanted in ("csr", "csc", "coo"):
                    found = pl.convert(a, wanted)
                    assert found.format == wanted and (found.toarray() == a.toarray()).all()
                    if wanted != "coo":
                        found.check_format(full_check=True)
    # Rows that are out of order, and entries that are there twice.
    for indices in ([1, 0, 1], [1, 1, 1]):
        a = scipy.csr_array((np.array([1.0, 2.0, 3.0]), np.array(indices), np.array([0, 2, 3])), shape=(2, 2))
        assert (pl.convert(a, "csc").toarray() == a.toarray()).all()
    a = scipy.csr_array((np.ones(3), np.array([0, 1, 1]), np.array([0, 2, 3])), shape=(2, 2))
    a.indptr[1] = 70
    with pytest.raises(ValueError, match="indptr"):
        pl.convert(a, "csc")


def test_entries_in_any_order_become_rows_and_columns():
    rng = np.random.default_rng(6)
    for shape in ((5, 7), (1, 1), (300, 20), (20, 300), (0, 3)):
        for index in (np.int32, np.int64):
            count = 4 * max(shape) if 0 not in shape else 0
            rows, cols = (rng.integers(0, max(extent, 1), count).astype(index) for extent in shape)
            numbers = rng.integers(1, 9, count).astype(float)
            orders = {
                "none, with duplicates": np.arange(count),
                "by rows": np.lexsort((cols, rows)),
                "by columns": np.lexsort((rows, cols)),
                "by rows, columns in no order": np.argsort(rows, kind="stable"),
            }
            once = np.unique(np.stack([rows, cols]), axis=1, return_index=True)[1]
            orders |= {f"{order}, once": kept[np.isin(kept, once)] for order, kept in orders.items()}
            for order, kept in orders.items():
                a = scipy.coo_array((numbers[kept], (rows[kept], cols[kept])), shape=shape)
                for wanted in ("csr", "csc", "dia", "dense", "coo", "bsr") if count else ("csr", "csc"):
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        found = pl.convert(a, wanted)
                    dense = found if wanted == "dense" else found.toarray()
                    assert np.array_equal(dense, a.toarray()), (shape, index, order, wanted)
                    if wanted in ("csr", "csc"):
                        found.check_format(full_check=True)
                        arrays = found.data, found.indices, found.indptr
                        assert type(found)(arrays, shape=shape).has_canonical_format
    wrong = scipy.coo_array((np.ones(2), (np.array([0, 1]), np.array([1, 0]))), shape=(2, 2))
    wrong.row[1] = 2
    for wanted in ("csr", "csc", "dense", "dia"):
        with pytest.raises(ValueError, match="outside"):
            pl.convert(wrong, wanted)
