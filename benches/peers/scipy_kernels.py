#!/usr/bin/env python3
"""SciPy beside Pleach: what `pleach bench … --peer scipy=benches/peers/scipy_kernels.py` runs.

SciPy computes by one thread, with 64-bit values.
"""

import numpy as np
import scipy.sparse as sp

from asked import dense, main, vector


def moved(matrix):
    """The same with its columns moved by one."""
    other = sp.csr_array((matrix.data, (matrix.indices + 1) % matrix.shape[1], matrix.indptr), shape=matrix.shape)
    other.sort_indices()
    return other


def sampled(matrix, x, z):
    """The products of rows of two dense matrices at the entries of a matrix, times these. SciPy has no function for it."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    products = np.einsum("ij,ij->i", x[rows], z[matrix.indices])
    return sp.csr_array((matrix.data * products, matrix.indices, matrix.indptr), shape=matrix.shape)


def sorted_product(matrix):
    """The square of a matrix, with the columns of each row in order, as ours has them."""
    product = matrix @ matrix
    product.sort_indices()
    return product


def trial(kernel, matrix):
    """What a trial does; nothing if SciPy has no such kernel."""
    if kernel == "coo-to-csr":
        entries = matrix.tocoo()
        return entries.tocsr
    if kernel == "spmv":
        x = vector(matrix.shape[1])
        return lambda: matrix @ x
    if kernel == "spmm":
        x = dense(matrix.shape[1])
        return lambda: matrix @ x
    if kernel == "sddmm":
        x, z = dense(matrix.shape[0]), dense(matrix.shape[1])
        return lambda: sampled(matrix, x, z)
    if kernel == "add":
        other = moved(matrix)
        return lambda: matrix + other
    return {
        "spgemm": lambda: sorted_product(matrix),
        "csr-to-csc": matrix.tocsc,
        "csr-to-dia": matrix.todia,
        "csr-to-bcsr": lambda: matrix.tobsr((4, 4)),
        "transpose": lambda: matrix.T.tocsr(),
    }.get(kernel)


def work(kernel, rows, _threads):
    offsets, columns, values = rows
    vertices = len(offsets) - 1
    return trial(kernel, sp.csr_array((values, columns, offsets.astype(np.int32)), shape=(vertices, vertices))), 1


main(work)
