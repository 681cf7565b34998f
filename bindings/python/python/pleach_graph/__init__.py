"""Pleach: graphs that change while you read them, algorithms on their versions, and sparse tensor expressions.

Examples
--------
>>> import pleach_graph as pl
>>> graph = pl.Graph([("ann", "bob"), ("bob", "cid"), ("cid", "ann")])
>>> before = graph.snapshot()
>>> graph.insert(["cid"], ["dan"])["new"]
1
>>> pl.pagerank(before).round(3).tolist()
[0.333, 0.333, 0.333]
>>> len(before), len(graph)
(3, 4)
"""

from __future__ import annotations

from . import algorithms
from ._graph import Graph, Snapshot, open, read
from ._pleach import __version__, get_threads, set_threads
from .algorithms import *  # noqa: F403
from .algorithms import CycleError, Hits, NotConverged, Paths, Search, frame
from .conversions import convert
from .expressions import Kernel, compile, einsum
from .streams import Following, follow, stream

__all__ = [
    "CycleError",
    "Following",
    "Graph",
    "Hits",
    "Kernel",
    "NotConverged",
    "Paths",
    "Search",
    "Snapshot",
    "__version__",
    "compile",
    "convert",
    "einsum",
    "follow",
    "frame",
    "get_threads",
    "open",
    "read",
    "set_threads",
    "stream",
]
__all__ += algorithms.__all__
