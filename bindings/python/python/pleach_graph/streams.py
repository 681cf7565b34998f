"""Streams of changes, and results that follow a graph."""

from __future__ import annotations

import asyncio
import itertools
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator

import numpy as np

from . import _pleach, _sources
from ._arrays import optional
from ._graph import Graph, Snapshot
from ._progress import bar
from .algorithms import _count, _numbered, _real


def stream(
    source,
    graph: Graph,
    batch: int = 10_000,
    *,
    columns: Iterable[str] | None = None,
    names: bool = False,
    progress: bool = False,
    on_batch: Callable[[dict], None] | None = None,
) -> dict:
    """Inserts what a source gives into a graph, a batch at a time.

    Parameters
    ----------
    source
        An iterable of edges ``(src, dst)`` or ``(src, dst, weight)``, or of frames or columns ``(src, dst, weight)`` of any length;
        anything with ``__arrow_c_stream__``, which is read one piece after the other; or whatever else `Graph` takes, as columns in a
        tuple or a sparse matrix. An iterable may also give changes,
        ``('insert' | 'reweight' | 'delete', src, dst[, weight])``, with actions in any spelling that `Graph.apply` takes; one of a letter
        (``'u'``, say) needs the weight, because without it the letter may be a vertex. Or a file, by its path or open, which is read
        line by line as ``pleach stream`` reads it: ``src dst``, ``src,dst,weight`` or ``+ src dst`` for example, compressed or not.
    graph : Graph
        What it goes into.
    batch : int
        Edges of a batch. Readers see each batch as a whole.
    columns : sequence of str, optional
        Names of the columns of frames, or what the columns of a file are, as ``['src', 'dst', 'weight']``.
    names : bool
        Whether a file calls vertices by names. By default it calls them by numbers.
    progress : bool
        Whether to show a bar, if tqdm is installed.
    on_batch : callable, optional
        Is called with what each batch did.

    Returns
    -------
    dict
        Sums of what the batches did, and the ``version`` that holds the last.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph()
    >>> pl.stream(((k, k + 1) for k in range(1000)), graph, batch=100)["new"]
    1000
    >>> graph.version
    10
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"graph is a {type(graph).__name__}, and not a Graph")
    batch = _count("batch", batch, 1)
    sums = {"batches": 0, "version": graph.version}
    # Readers of pandas' have `read`, too, and give frames.
    of_pandas = type(source).__module__.partition(".")[0] == "pandas"
    is_file = isinstance(source, (str, os.PathLike)) or hasattr(source, "read") and not of_pandas
    batches = _lines(source, batch, columns, names, graph.weighted) if is_file else _batches(source, batch, columns, graph)
    with bar(progress, " edges") as shown:
        for columns_of in batches:
            done = graph.apply(*columns_of) if len(columns_of) == 4 else graph.insert(*columns_of)
            sums["batches"] += 1
            for name, count in done.items():
                sums[name] = count if name == "version" else sums.get(name, 0) + count
            shown.update(len(columns_of[1]))
            if on_batch is not None:
                on_batch(done)
    return sums


#: Actions by the numbers that the library gives them.
_ACTIONS = np.array(["insert", "reweight", "delete"])


def _lines(file, batch: int, columns, names: bool, weighted: bool) -> Iterator[tuple]:
    """The lines of a file as columns of so many edges each."""
    path = os.path.expanduser(os.fspath(file)) if isinstance(file, (str, os.PathLike)) else file
    listed = None if columns is None else columns if isinstance(columns, str) else ",".join(columns)
    updates = _pleach.UpdatesCore(path, names=bool(names), weighted=weighted, columns=listed)
    while True:
        actions, *edges = updates.next(batch)
        if not actions.size:
            return
        yield (_ACTIONS[actions].tolist(), *edges) if actions.any() else tuple(edges)


def _batches(source, batch: int, columns, graph: Graph) -> Iterator[tuple]:
    """Columns of at most so many edges each."""
    weighted = graph.weighted
    source = _sources.collected(source)
    if _sources.is_sparse(source) or _sources.is_networkx(source) or _sources.is_columns(source) or isinstance(source, np.ndarray):
        yield from _cut(_whole(source, columns, graph), batch)
        return
    if hasattr(source, "__arrow_c_stream__"):
        source = optional("pyarrow", "to read an Arrow stream").RecordBatchReader.from_stream(source)
    elif isinstance(source, dict) or hasattr(source, "columns"):
        source = [source]
    if not hasattr(source, "__iter__"):
        raise TypeError(f"source is a {type(source).__name__}: expected edges, columns, frames or a file")
    pieces = iter(source)
    for first in pieces:
        break
    else:
        return
    pieces = itertools.chain([first], pieces)
    if isinstance(first, dict) or hasattr(first, "__arrow_c_stream__") or hasattr(first, "columns"):
        for piece in pieces:
            yield from _cut(_frame(piece, columns, weighted), batch)
    elif isinstance(first, tuple) and all(isinstance(column, np.ndarray) for column in first):
        for piece in pieces:
            yield from _cut(piece, batch)
    else:
        while some := list(itertools.islice(pieces, batch)):
            yield _listed(some)


def _frame(piece, columns, weighted: bool) -> tuple:
    return _without_none(_sources.of_frame(piece, columns, None if weighted else False))


def _whole(source, columns, graph: Graph) -> tuple:
    """The columns of a source that has all of its edges."""
    # Of columns that are passed the graph itself refuses weights that it has no use for.
    weighted = None if graph.weighted or _sources.is_columns(source) else False
    return _without_none(_sources.columns_of(source, columns=columns, weighted=weighted, directed=graph.directed))


def _without_none(found: _sources.Columns) -> tuple:
    return found[:2] if found.weight is None else found[:3]


def _cut(columns: tuple, batch: int) -> Iterator[tuple]:
    sizes = [len(column) for column in columns]
    if len(sizes) not in (2, 3) or len(set(sizes)) > 1:
        raise ValueError(f"columns (src, dst) or (src, dst, weight) are as long as each other, and not {', '.join(map(str, sizes))}")
    for begin in range(0, sizes[0], batch):
        yield tuple(column[begin : begin + batch] for column in columns)


def _listed(edges: list) -> tuple:
    """Edges or changes as columns."""
    for edge in edges:
        if not hasattr(edge, "__len__") or isinstance(edge, (str, bytes)):
            raise ValueError(f"an edge is (src, dst) or (src, dst, weight), and not {edge!r}")
    edges = [tuple(edge) for edge in edges]
    changes = all(map(_is_change, edges))
    if changes and any(len(edge) == 4 for edge in edges):
        return *([edge[at] for edge in edges] for at in range(3)), [edge[3] if len(edge) == 4 else 1 for edge in edges]
    if changes:
        return *([edge[at] for edge in edges] for at in range(3)), None
    if any(len(edge) not in (2, 3) for edge in edges):
        raise ValueError("an edge is (src, dst) or (src, dst, weight), and a change begins with 'insert', 'reweight' or 'delete'")
    weight = [edge[2] if len(edge) == 3 else 1 for edge in edges] if any(len(edge) == 3 for edge in edges) else None
    return [edge[0] for edge in edges], [edge[1] for edge in edges], weight


def _is_change(edge: tuple) -> bool:
    """Whether it begins with an action. ``('a', 'b', 2.0)`` is an edge with a weight."""
    if len(edge) not in (3, 4) or not isinstance(edge[0], str) or edge[0] not in Graph._ACTIONS:
        return False
    return len(edge) == 4 or edge[0] not in ("a", "u", "d")


class Following:
    """A result that follows a graph. Made by `follow`.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([("a", "b")], directed=False)
    >>> ranks = pl.follow(graph, "pagerank")
    >>> graph.add_edge("a", "c")
    True
    >>> ranks.values.round(2).tolist(), ranks.update().values.round(2).tolist()
    ([0.5, 0.5], [0.49, 0.26, 0.26])
    """

    def __init__(self, graph: Graph, what: str, alpha: float, tol: float) -> None:
        self._graph, self._what = graph, what
        self._snapshot = graph.snapshot()
        ranks = (_real("alpha", alpha), _real("tol", tol)) if what == "pagerank" else None
        self._core = _pleach.FollowCore(self._snapshot._core, ranks)
        self._lock, self._process = threading.Lock(), os.getpid()

    def _alone(self) -> threading.Lock:
        """What keeps other threads from the result while it moves. In a child of the process, none of these runs."""
        if self._process != os.getpid():
            self._lock, self._process = threading.Lock(), os.getpid()
        return self._lock

    @property
    def snapshot(self) -> Snapshot:
        """The version that the result belongs to."""
        return self._snapshot

    def update(self) -> "Following":
        """Goes on to the newest version, at the cost of what changed."""
        with self._alone():
            newest = self._graph.snapshot()
            self._core.advance(newest._core)
            self._snapshot = newest
        return self

    @property
    def values(self) -> np.ndarray:
        """The result in the vertex order of `snapshot`: components numbered from 0, or ranks."""
        with self._alone():
            if self._what == "pagerank":
                return self._snapshot._by_position(self._core.ranks())
            return _numbered(self._snapshot, self._core.components()[0])

    @property
    def count(self) -> int:
        """The number of components."""
        if self._what == "pagerank":
            raise AttributeError("ranks have no count")
        with self._alone():
            return self._core.components()[1]

    async def versions(self, interval: float = 0.05) -> AsyncIterator["Following"]:
        """Waits for versions: gives itself, updated, whenever the graph has changed.

        Parameters
        ----------
        interval : float
            Seconds between looks.
        """
        while True:
            if self._graph.version != self._snapshot.version:
                await asyncio.to_thread(self.update)
                yield self
            else:
                await asyncio.sleep(interval)

    def __repr__(self) -> str:
        return f"<Following {self._what} of version {self._snapshot.version}>"


def follow(graph: Graph, what: str, *, alpha: float = 0.85, tol: float = 1e-9) -> Following:
    """Computes a result once, and then brings it up to date with what changes.

    Parameters
    ----------
    graph : Graph
    what : {'components', 'pagerank'}
    alpha, tol : float
        Of PageRank: the probability of following an edge, and how exact ranks are.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([("a", "b"), ("c", "d")])
    >>> components = pl.follow(graph, "components")
    >>> components.count
    2
    >>> graph.add_edge("b", "c")
    True
    >>> components.update().count
    1
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"graph is a {type(graph).__name__}, and not a Graph")
    if what not in ("components", "pagerank"):
        raise ValueError(f"what must be 'components' or 'pagerank', not {what!r}")
    return Following(graph, what, alpha, tol)
