#!/usr/bin/env python3
"""SciPy beside Pleach: what `pleach bench … --peer scipy=benches/peers/scipy_kernels.py` runs.

It reads the graph from GAP's `.sg`, and prints a line for each trial. SciPy computes by one thread, with 64-bit values. What a trial makes
is freed before the next one, and allocated anew.
"""

import sys
import time

import numpy as np
import scipy.sparse as sp


def read(file):
    """The matrix of a graph: a one for each arc, and then other values."""
    with open(file, "rb") as data:
        data.read(1)
        arcs, vertices = np.fromfile(data, np.int64, 2)
        offsets = np.fromfile(data, np.int64, vertices + 1)
        columns = np.fromfile(data, np.int32, arcs)
    values = 1.0 + np.arange(arcs) % 7
    return sp.csr_array((values, columns, offsets.astype(np.int32)), shape=(vertices, vertices))


def moved(matrix):
    """The same with its columns moved by one."""
    other = sp.csr_array((matrix.data, (matrix.indices + 1) % matrix.shape[1], matrix.indptr), shape=matrix.shape)
    other.sort_indices()
    return other


def work(kernel, matrix):
    """What a trial does; nothing if SciPy has no such kernel."""
    if kernel == "coo-to-csr":
        entries = matrix.tocoo()
        return entries.tocsr
    if kernel == "spmv":
        vector = np.ones(matrix.shape[1])
        return lambda: matrix @ vector
    if kernel == "add":
        other = moved(matrix)
        return lambda: matrix + other
    return {
        "csr-to-csc": matrix.tocsc,
        "csr-to-dia": matrix.todia,
        "csr-to-bcsr": lambda: matrix.tobsr((4, 4)),
        "transpose": lambda: matrix.T.tocsr(),
    }.get(kernel)


def main():
    asked = dict(argument.split("=", 1) for argument in sys.argv[1:])
    kernel, graph = asked["kernel"], asked["graph"]
    run = work(kernel, read(asked["file"]))
    for _ in range(int(asked["trials"])):
        said = "unsupported"
        if run is not None:
            begin = time.perf_counter()
            made = run()
            said = f"seconds={time.perf_counter() - begin:.9f}"
            del made
        print(f"RESULT kernel={kernel} graph={graph} threads=1 {said}", flush=True)


main()
