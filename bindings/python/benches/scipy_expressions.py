"""Expressions by Pleach and by SciPy, in one process and in turns: microseconds by SciPy, and Pleach's share of them.

    python bindings/python/benches/scipy_expressions.py FILE.mtx [FILE.mtx.gz FILE.rua.gz …]

Conversions of SciPy's arrays, the look-up of the expression, and the making of the result are counted.
"""

import functools
import gzip
import io
import sys
import time

import numpy as np
import scipy.io
import scipy.sparse as sp

import pleach_graph as pl

SECONDS = 0.1


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
        if ".mtx" not in path:
            # Harwell-Boeing.
            read = scipy.io.hb_read(io.TextIOWrapper(file))
        else:
            read = scipy.io.mmread(file)
    if read.dtype.kind == "c":
        raise TypeError("values are complex")
    found = sp.csr_array(read, dtype=np.float64)
    found.sum_duplicates()
    return found


#: Conversions, each by the format that it starts from and the one that it makes.
CONVERSIONS = [
    ("csr", "csc"), ("csc", "csr"), ("csr", "coo"), ("csc", "coo"), ("coo", "csr"), ("coo", "csc"), ("csr", "dia"), ("csr", "dense"),
    ("coo", "dense"), ("dense", "csr"), ("csr", "lil"), ("csr", "bsr"),
]


def products(a):
    """SciPy's way and ours to products, sums and the transpose, by name."""
    spmv = pl.compile("y(i) = A(i,j) * x(j)", formats={"A": "csr"})
    b, x = sp.csr_array(a.T) if a.shape[0] == a.shape[1] else a, np.arange(a.shape[1]) + 0.5
    yield "A @ x", lambda: a @ x, lambda: spmv(A=a, x=x)
    yield "A + B", lambda: a + b, lambda: pl.einsum("C(i,j) = A(i,j) + B(i,j)", A=a, B=b, out="csr")
    if a.shape[0] == a.shape[1]:
        yield "A @ B", lambda: a @ b, lambda: pl.einsum("C(i,j) = A(i,k) * B(k,j)", A=a, B=b, out="csr")
    yield "transpose", lambda: a.T.tocsr(), lambda: pl.einsum("C(j,i) = A(i,j)", A=a, out="csr")


def conversions(a):
    """SciPy's way and ours to other formats, by name."""
    for start, end in CONVERSIONS:
        if "dense" in (start, end) and np.prod(a.shape) > 2e7 or end == "dia" and a.shape[0] > 5000:
            continue
        given = a.toarray() if start == "dense" else a.asformat(start)
        if start == "dense":
            theirs = lambda given=given: sp.csr_array(given)  # noqa: E731
        elif end == "dense":
            theirs = given.toarray
        else:
            theirs = functools.partial(getattr(given, f"to{end}"), copy=False)
        yield f"{start} to {end}", theirs, lambda given=given, end=end: pl.convert(given, end)


def main(paths):
    worst: dict[str, tuple[float, str]] = {}
    for path in paths:
        try:
            a = matrix(path)
        except (ValueError, TypeError, SyntaxError) as error:
            print(f"{path.rsplit('/')[-1]}: left out: {error}")
            continue
        line = f"{path.rsplit('/')[-1]:<26}{a.nnz:>8}"
        for name, theirs, ours in [*products(a), *conversions(a)]:
            scipy_time, own = medians(theirs, ours)
            line += f" | {name} {scipy_time:.0f} {own / scipy_time:.2f}"
            worst[name] = max(worst.get(name, (0.0, "")), (own / scipy_time, path.rsplit("/")[-1]))
        print(line, flush=True)
    print("the largest share of SciPy's time:")
    for name, (share, path) in worst.items():
        print(f"{name:<16}{share:>6.2f}  {path}")


if __name__ == "__main__":
    main(sys.argv[1:])
