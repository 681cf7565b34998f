"""What the programs of this folder have in common: they read a graph from GAP's `.sg`, and print a line for each trial.

What a trial makes is freed before the next one, and allocated anew.
"""

import sys
import time

import numpy as np

# Columns of dense matrices.
WIDTH = 32


def read(file):
    """Offsets, columns and values of the rows of a graph. The values of its arcs repeat the numbers from 1 to 7."""
    with open(file, "rb") as data:
        data.read(1)
        arcs, vertices = np.fromfile(data, np.int64, 2)
        offsets = np.fromfile(data, np.int64, vertices + 1)
        columns = np.fromfile(data, np.int32, arcs)
    return offsets, columns, 1.0 + np.arange(arcs) % 7


def dense(rows):
    """A dense matrix that is always the same."""
    return np.random.default_rng(1).random((rows, WIDTH))


def vector(rows):
    """What `pleach bench` multiplies a matrix by: numbers from a half to one and a half, from SplitMix64 with the seed 1."""
    bits = np.uint64(1) + np.arange(1, rows + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    bits ^= bits >> np.uint64(31)
    return 0.5 + (bits >> np.uint64(11)) / 2.0**53


def main(work):
    """Runs the kernel that the command line asks for. `work` gives what one trial does, and by how many threads; nothing if there is no such
    kernel."""
    asked = dict(argument.split("=", 1) for argument in sys.argv[1:])
    kernel, graph = asked["kernel"], asked["graph"]
    run, threads = work(kernel, read(asked["file"]), int(asked["threads"])) or (None, 1)
    for _ in range(int(asked["trials"])):
        said = "unsupported"
        if run is not None:
            begin = time.perf_counter()
            made = run()
            said = f"seconds={time.perf_counter() - begin:.9f}"
            del made
        print(f"RESULT kernel={kernel} graph={graph} threads={threads} {said}", flush=True)
