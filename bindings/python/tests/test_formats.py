"""Formats of tensors and results, by the names that users give them."""

import numpy as np
import pytest

import pleach_graph as pl

scipy = pytest.importorskip("scipy.sparse")

A = scipy.csr_array(np.array([[1.0, 2], [0, 3]]))


@pytest.mark.parametrize("formats", [{"A": "dense"}, {"y": "dense"}, {"A": "dense", "x": " dense "}, {"A": "matrix"}, {"A": "(dense, dense)"}])
def test_dense_tensors_of_any_order(formats):
    assert pl.einsum("y(i) = A(i,j) * x(j)", A=A, x=[1, 10], formats=formats).tolist() == [21, 30]
    assert pl.compile("y(i) = A(i,j) * x(j)", formats=formats)(A=A.toarray(), x=[1, 10]).tolist() == [21, 30]


def test_a_dense_result():
    found = pl.einsum("C(i,j) = A(i,j)", A=A, formats={"C": "dense"}, out="csr")
    assert isinstance(found, np.ndarray) and found.tolist() == A.toarray().tolist()


def test_zeros_of_an_array_are_no_entries_of_a_sparse_format():
    for text in ("C(i,j) = A(i,j) * A(i,j)", "C(i,j) = A(i,j)"):
        found = pl.einsum(text, A=A.toarray(), formats={"A": "csr"}, out="dcsr")
        assert found.nnz == 3 and found.toarray().tolist() == (A * A if "*" in text else A).toarray().tolist()
    # What is not there is no distance of 0.
    text = "y(i) = A(i,j) * x(j) over min_plus"
    for formats, expected in (({"A": "csr"}, [2, 13]), ({}, [2, 1]), ({"A": "matrix"}, [2, 1])):
        assert pl.einsum(text, A=A.toarray(), x=[1, 10], formats=formats).tolist() == expected


def test_the_result_is_found_however_it_is_written():
    for text in ("C(i,j)=A(i,j)", " C ( i , j ) += A(i,j)"):
        assert pl.einsum(text, A=A, out="csc").format == "csc"
    with pytest.raises(ValueError, match="expression"):
        pl.compile("!", out="csr")
