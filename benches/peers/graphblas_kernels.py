#!/usr/bin/env python3
"""SuiteSparse:GraphBLAS beside Pleach: what `pleach bench … --peer graphblas=benches/peers/graphblas_kernels.py` runs.

It needs `python-graphblas`. Values have 64 bits. Each trial ends when the result is complete, with the columns of each row in order.
"""

import graphblas as gb
from graphblas import Matrix, Vector, binary, semiring

from asked import dense, main, vector


def complete(result):
    """GraphBLAS puts off work: sorting, for one."""
    result.wait()
    return result


def trial(kernel, matrix):
    """What a trial does; nothing if this program has no such kernel."""
    vertices = matrix.nrows
    if kernel == "spmv":
        x = Vector.from_dense(vector(vertices))
        return lambda: complete(semiring.plus_times(matrix @ x).new())
    if kernel == "spgemm":
        return lambda: complete(semiring.plus_times(matrix @ matrix).new())
    if kernel == "spmm":
        x = Matrix.from_dense(dense(vertices))
        return lambda: complete(semiring.plus_times(matrix @ x).new())
    if kernel == "sddmm":
        x, z = Matrix.from_dense(dense(vertices)), Matrix.from_dense(dense(vertices))

        def sampled():
            products = semiring.plus_times(x @ z.T).new(mask=matrix.S)
            return complete(matrix.ewise_mult(products, binary.times).new())

        return sampled
    return None


def work(kernel, rows, threads):
    gb.ss.config["nthreads"] = threads
    offsets, columns, values = rows
    vertices = len(offsets) - 1
    matrix = Matrix.ss.import_csr(
        nrows=vertices, ncols=vertices, indptr=offsets, values=values, col_indices=columns.astype("uint64"), sorted_cols=True
    )
    return trial(kernel, matrix), threads


main(work)
