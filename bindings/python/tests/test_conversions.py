"""Conversions that the library does at once are those of SciPy, entry by entry."""

import numpy as np
import pytest

import pleach_graph as pl

sp = pytest.importorskip("scipy.sparse")


def _block(size: int, rows: int, cols: int, holes: int) -> np.ndarray:
    """Blocks that are full but for some holes, on a few diagonals."""
    dense = np.kron(np.eye(rows, cols) + np.eye(rows, cols, 2), np.ones((size, size)))
    random = np.random.default_rng(size)
    dense *= random.random(dense.shape) + 0.5
    at = random.integers(0, np.count_nonzero(dense), holes)
    ends = tuple(ends[at] for ends in np.nonzero(dense))
    dense[ends] = 0
    return dense


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("holes", [0, 8, 40])
def test_blocks_are_as_large_as_those_of_scipy(index, size, holes):
    rows = sp.csr_array(_block(size, 12, 10, holes))
    rows.indices, rows.indptr = rows.indices.astype(index), rows.indptr.astype(index)
    ours, theirs = pl.convert(rows, "bsr"), rows.tobsr()
    # Ours are in order already.
    theirs.sort_indices()
    assert ours.blocksize == theirs.blocksize
    np.testing.assert_array_equal(ours.indptr, theirs.indptr)
    np.testing.assert_array_equal(ours.indices, theirs.indices)
    np.testing.assert_array_equal(ours.data, theirs.data)
    np.testing.assert_array_equal((ours @ np.ones(rows.shape[1])), theirs @ np.ones(rows.shape[1]))


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 1), (4, 6)])
def test_matrices_without_entries(shape):
    rows = sp.csr_array(shape)
    for kind in ("lil", "bsr", "dok", "dense", "coo", "csc"):
        if kind == "bsr" and 0 in shape:
            continue
        found = pl.convert(rows, kind)
        assert found.shape == shape
        assert not (found if kind == "dense" else found.toarray()).any()


def test_lists_can_be_changed():
    rows = sp.random_array((9, 7), density=0.3, format="csr", rng=4)
    before = rows.toarray()
    found, theirs = pl.convert(rows, "lil"), rows.tolil()
    assert type(found) is type(theirs) and found.dtype == theirs.dtype
    assert [*found.rows] == [*theirs.rows] and [*found.data] == [*theirs.data]
    found[2, 3] = 8.0
    found[:, 1] = 0
    before[2, 3], before[:, 1] = 8.0, 0
    np.testing.assert_array_equal(found.toarray(), before)
    assert rows[2, 3] != 8.0


@pytest.mark.parametrize(("shape", "density"), [((40, 50), 0.9), ((3, 200), 0.01), ((1, 9), 1.0)])
def test_lists_of_long_and_of_short_rows(shape, density):
    rows = sp.random_array(shape, density=density, format="csr", rng=5)
    found, theirs = pl.convert(rows, "lil"), rows.tolil()
    assert [*found.rows] == [*theirs.rows] and [*found.data] == [*theirs.data]
    assert {type(col) for row in found.rows for col in row} <= {int}


@pytest.mark.parametrize("size", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_blocks_have_the_size_that_scipy_chooses(size, index):
    random = np.random.default_rng(size)
    where = sp.random_array((8, 13), density=0.2, format="csr", rng=size)
    rows = sp.csr_array(sp.kron(where, np.ones((size, size))))
    # Some blocks are not full, so that a later row may have the first column of blocks.
    rows.data[random.random(rows.nnz) < 0.1] = 0
    rows.eliminate_zeros()
    rows.data[:] = random.random(rows.nnz)
    rows.indptr, rows.indices = rows.indptr.astype(index), rows.indices.astype(index)
    found, theirs = pl.convert(rows, "bsr"), rows.tobsr()
    assert found.blocksize == theirs.blocksize == (size, size)
    np.testing.assert_array_equal(found.toarray(), rows.toarray())
    assert sp.bsr_array((found.data, found.indices, found.indptr), shape=found.shape).has_canonical_format


def test_many_entries_by_several_threads():
    before = pl.get_threads()
    random = np.random.default_rng(3)
    entries = (random.random(2_500_000), (random.integers(0, 900, 2_500_000), random.integers(0, 40_000, 2_500_000)))
    rows = sp.csr_array(sp.coo_array(entries, shape=(900, 40_000)))
    try:
        for threads in (1, 3):
            pl.set_threads(threads)
            for kind in ("csc", "coo"):
                found, theirs = pl.convert(rows, kind), rows.asformat(kind)
                for part in ("data", "indices", "indptr") if kind == "csc" else ("data", "row", "col"):
                    np.testing.assert_array_equal(getattr(found, part), getattr(theirs, part))
            found = pl.convert(rows.tocsc().tocoo(), "csr")
            np.testing.assert_array_equal(found.indices, rows.indices)
            np.testing.assert_array_equal(found.data, rows.data)
            some = rows[:100]
            for given in (some, some.tocoo(), some.tocsc(), some.tocsc().tocoo()):
                np.testing.assert_array_equal(pl.convert(given, "dense"), some.toarray())
    finally:
        pl.set_threads(before)


def test_room_beyond_the_last_entry():
    rows = sp.csr_array((np.array([1.0, 2.0, 9.0]), np.array([0, 1, 1]), np.array([0, 1, 2])), shape=(2, 2))
    rows.indices, rows.data = np.array([0, 1, 77]), np.array([1.0, 2.0, 9.0])
    for kind in ("bsr", "lil", "dense", "csc"):
        found = pl.convert(rows.copy(), kind)
        np.testing.assert_array_equal(found if kind == "dense" else found.toarray(), np.diag([1.0, 2.0]))


@pytest.mark.parametrize("order", ["rows", "cols", "none"])
@pytest.mark.parametrize("kind", ["csr", "csc"])
@pytest.mark.parametrize("count", [0, 1, 900, 5000])
def test_coordinates_in_any_order(order, kind, count):
    random = np.random.default_rng(count)
    # Some places hold several entries.
    rows, cols = random.integers(0, 80, count), random.integers(0, 60, count)
    values = random.integers(1, 9, count).astype(float)
    by = {"rows": np.lexsort((cols, rows)), "cols": np.lexsort((rows, cols)), "none": np.arange(count)}[order]
    given = sp.coo_array((values[by], (rows[by].astype(np.int32), cols[by].astype(np.int32))), shape=(80, 60))
    found = pl.convert(given, kind)
    assert found.has_canonical_format
    theirs = given.asformat(kind)
    theirs.sum_duplicates()
    for part in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(found, part), getattr(theirs, part))


@pytest.mark.parametrize("wrong", [-1, 60, 2**31 - 1])
@pytest.mark.parametrize("part", ["indices", "indptr"])
def test_damaged_rows_are_not_written_to_an_array(part, wrong):
    rows = sp.random_array((50, 60), density=0.1, format="csr", rng=1)
    getattr(rows, part)[7] = wrong
    if part == "indptr" and wrong == 60:
        rows.indptr[7] = rows.indptr[8] + 1
    for kind in ("dense", "bsr", "lil", "dok"):
        with pytest.raises(ValueError, match=f"matrix.{part}"):
            pl.convert(rows, kind)


def test_entries_of_different_lengths():
    entries = sp.coo_array((3, 3))
    entries.coords, entries.data = (np.array([0]), np.array([0, 1])), np.ones(2)
    for kind in ("csr", "csc", "dense", "lil"):
        with pytest.raises(ValueError, match="matrix has 1 and 2 coordinates of 2 values"):
            pl.convert(entries, kind)


def test_rows_of_different_lengths_are_no_matrix():
    with pytest.raises(ValueError, match="matrix: "):
        pl.convert([[1, 2], [3]], "csr")
