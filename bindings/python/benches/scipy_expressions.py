"""Expressions by Pleach and by SciPy, in one process and in turns: microseconds by SciPy, and Pleach's share of them.

    python bindings/python/benches/scipy_expressions.py FILE.mtx [FILE.mtx.gz …]

Conversions of SciPy's arrays, the look-up of the expression, and the making of the result are counted.
"""

import gzip
import sys
import time

import numpy as np
import scipy.io
import scipy.sparse as sp

import pleach_graph as pl

SECONDS = 0.25


def medians(first, second):
    """Median times of both, in microseconds."""
    first(), second()
    times, end = [], time.perf_counter() + SECONDS
    while time.perf_counter() < end or len(times) < 9:
        start = time.perf_counter()
        first()
        middle = time.perf_counter()
        second()
        times.append((middle - start, time.perf_counter() - middle))
    return np.median(times, axis=0) * 1e6


def matrix(path):
    with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as file:
        found = sp.csr_array(scipy.io.mmread(file), dtype=np.float64)
    found.sum_duplicates()
    return found


def main(paths):
    spmv = pl.compile("y(i) = A(i,j) * x(j)", formats={"A": "csr"})
    print(f"{'':<24}{'nonzeros':>10}{'A @ x':>16}{'A + B':>16}{'A @ B':>16}{'transpose':>16}")
    for path in paths:
        a = matrix(path)
        b, x = sp.csr_array(a.T) if a.shape[0] == a.shape[1] else a, np.arange(a.shape[1]) + 0.5
        pairs = [
            (lambda: a @ x, lambda: spmv(A=a, x=x)),
            (lambda: a + b, lambda: pl.einsum("C(i,j) = A(i,j) + B(i,j)", A=a, B=b, out="csr")),
            (lambda: a @ b, lambda: pl.einsum("C(i,j) = A(i,k) * B(k,j)", A=a, B=b, out="csr")),
            (lambda: a.T.tocsr(), lambda: pl.einsum("C(j,i) = A(i,j)", A=a, out="csr")),
        ]
        line = f"{path.rsplit('/')[-1]:<24}{a.nnz:>10}"
        for which, (theirs, ours) in enumerate(pairs):
            if which == 2 and a.shape[0] != a.shape[1]:
                line += f"{'':>16}"
                continue
            scipy_time, own = medians(theirs, ours)
            line += f"{scipy_time:>10.0f}{own / scipy_time:>6.2f}"
        print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
