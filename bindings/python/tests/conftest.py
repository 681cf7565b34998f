"""Graphs that several tests use."""

import numpy as np
import pytest

import pleach_graph as pl


@pytest.fixture
def karate():
    return pl.read("karate")


@pytest.fixture
def random_graph():
    """A directed graph with weights, a self loop, and a vertex without edges."""
    rng = np.random.default_rng(7)
    src, dst = rng.integers(0, 60, 400), rng.integers(0, 60, 400)
    src[0] = dst[0] = 5
    keep = (src != 33) & (dst != 33)
    weight = rng.integers(1, 10, 400).astype(float)
    return pl.Graph((src[keep], dst[keep], weight[keep]), num_vertices=60, conflict="last")
