"""Graphs that change, and their versions."""

from __future__ import annotations

import os
import threading
from collections.abc import Hashable, Iterable
from contextlib import contextmanager

import numpy as np

from . import _pleach, _sources
from ._ids import MOST, Ids, _names
from ._reading import Readable
from ._sources import Edges, check_count, weights

DEFAULT_STORE = "paged,packed"

#: The default of `max_vertices`. A graph that begins with more vertices may have as many as it begins with.
DEFAULT_MAX_VERTICES = 1 << 26


class Snapshot(Readable):
    """One version of a graph. It never changes, whatever happens to the graph, and takes no memory of its own until then.

    Obtained from `Graph.snapshot`. All algorithms are methods, too.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([("a", "b"), ("b", "c")])
    >>> before = graph.snapshot()
    >>> graph.add_edge("c", "a")
    True
    >>> before.number_of_edges(), graph.number_of_edges()
    (2, 3)
    """

    __slots__ = ("_core", "_ids", "_algorithms", "_numbers", "_positions", "_arcs")

    def __init__(self, core: _pleach.SnapshotCore, ids: Ids) -> None:
        self._core = core
        self._ids = ids
        self._algorithms = _pleach.AlgorithmsCore(core)
        self._numbers = core.vertices()
        self._positions = None
        self._arcs: dict[bool, tuple] = {}

    def snapshot(self) -> "Snapshot":
        """The version itself."""
        return self

    # What it is.

    @property
    def directed(self) -> bool:
        """Whether edges have a direction."""
        return self._core.directed

    @property
    def weighted(self) -> bool:
        """Whether edges have weights."""
        return self._core.weighted

    def _number(self, name: str, vertex: Hashable) -> int:
        try:
            number = self._ids.number(vertex)
        except TypeError:
            raise TypeError(f"{name} is not hashable: {vertex!r}") from None
        if number is None or not self._core.has_vertex(number):
            raise KeyError(f"{name}: {vertex!r} is no vertex of this graph")
        return number

    def _are_vertices(self, numbers: np.ndarray) -> bool:
        """Whether all of them are numbers of vertices."""
        if numbers.max(initial=0) >= self._core.num_rows:
            return not numbers.size
        return self._numbers is None or bool((self._to_positions(numbers) >= 0).all())

    def _by_position(self, values: np.ndarray) -> np.ndarray:
        """Values by number, in vertex order."""
        return values if self._numbers is None else values[self._numbers]

    def _to_positions(self, numbers: np.ndarray) -> np.ndarray:
        """Where vertices are in vertex order; -1 stays -1."""
        if self._numbers is None:
            return numbers
        if self._positions is None:
            positions = np.full(self._core.num_rows + 1, -1, dtype=np.int64)
            positions[self._numbers] = np.arange(self._numbers.size)
            self._positions = positions
        return self._positions[numbers]

    def _has_loop(self) -> np.ndarray:
        numbers = np.arange(self._core.num_rows, dtype=np.uint32) if self._numbers is None else self._numbers
        return (~np.isnan(self._core.weights(numbers, numbers))).astype(np.int64)

    def _rows(self, incoming: bool) -> tuple:
        """Arcs as compressed sparse rows by number, made once. Nobody can write to the arrays, which several results share."""
        incoming = incoming and self.directed
        if incoming not in self._arcs:
            arrays = self._core.arcs(incoming)
            for array in arrays:
                if array is not None:
                    array.setflags(write=False)
            self._arcs[incoming] = arrays
        return self._arcs[incoming]

    def _narrow(self, indptr: np.ndarray) -> np.ndarray:
        if "indptr" not in self._arcs:
            narrow = indptr.astype(np.int32)
            narrow.setflags(write=False)
            self._arcs["indptr"] = narrow
        return self._arcs["indptr"]

    def _ones(self, size: int) -> np.ndarray:
        if "ones" not in self._arcs:
            ones = np.ones(size)
            ones.setflags(write=False)
            self._arcs["ones"] = ones
        return self._arcs["ones"]

    def diff(self, older: "Snapshot") -> dict:
        """What differs from an older version of the same graph, at the cost of what differs.

        Returns
        -------
        dict
            ``added``, ``removed`` and ``reweighted``: columns of sources, targets and weights each; ``nodes_added`` and
            ``nodes_removed``.
        """
        if not isinstance(older, Snapshot):
            raise TypeError(f"older is a {type(older).__name__}, and not a Snapshot")
        found = self._core.diff(older._core) if older._ids is self._ids else None
        if found is None:
            raise ValueError("older is a version of another graph")
        edges, nodes = found
        named = [(self._ids.names(src, 0), self._ids.names(dst, 0), weight) for src, dst, weight in edges]
        keys = ("added", "removed", "reweighted")
        nodes = [self._ids.names(numbers, 0) for numbers in nodes]
        return dict(zip(keys, named)) | {"nodes_added": nodes[0], "nodes_removed": nodes[1]}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._facts()}, version {self.version}>"

    def _facts(self) -> str:
        kind = f"{'directed' if self.directed else 'undirected'}, {'weighted' if self.weighted else 'unweighted'}"
        return f"{len(self):,} vertices, {self.number_of_edges():,} edges, {kind}"


@contextmanager
def _named_edges(ids: Ids):
    """Says of which edge the library speaks: it knows vertices by numbers."""
    try:
        yield
    except ValueError as error:
        if len(error.args) != 3:
            raise
        what, src, dst = error.args
        edge = f"the edge from {ids.name(src)!r} to {ids.name(dst)!r}"
        raise ValueError(f"{edge} {what}: change its weight instead, or choose another conflict than 'error'") from None


class Graph(Readable):
    """A graph that changes in batches, while others read versions of it.

    Parameters
    ----------
    data : optional
        Where edges come from: a SciPy sparse array or matrix; columns ``(src, dst)`` or ``(src, dst, weight)``, as a tuple; an array
        of two or three columns; anything with ``__arrow_c_stream__``, and frames of pandas and polars; a dictionary of columns; a
        NetworkX graph; a list of edges. Arrays are copied: what happens to them afterwards does not matter.
    directed : bool, optional
        Whether edges have a direction. By default as `data` says, and if it says nothing, they have.
    weighted : bool, optional
        Whether edges have weights. By default if `data` has any. The weights of a matrix that are all 1 are none.
    num_vertices : int, optional
        If it is given, vertices are the integers below it. Otherwise they are what `data` names, of any hashable type.
    nodes : sequence, optional
        Vertices that are there in any case, in this order, before those that edges name.
    columns : sequence of str, optional
        Names of the columns of sources, targets and weights in a frame.
    weight : str
        The edge attribute of a NetworkX graph that holds weights.
    conflict : {'last', 'first', 'sum', 'min', 'max', 'error'}
        Which weight an edge gets that is inserted again.
    store : str
        How rows are held, ``OUTER,ROW`` as on the command line.
    max_vertices : int, optional
        The largest number of vertices there may be; by default 2^26, or as many as there are at first. An id costs memory in every
        result.
    threads : int, optional
        Threads that build it.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> graph = pl.Graph([("ann", "bob"), ("bob", "cid")], directed=False)
    >>> graph
    <Graph 3 vertices, 2 edges, undirected, unweighted>
    >>> graph.neighbors("bob").tolist()
    ['ann', 'cid']
    >>> graph.insert(["cid", "cid"], ["ann", "dan"])["new"]
    2
    >>> len(graph)
    4
    """

    __slots__ = ("_core", "_ids", "_lock", "_directed", "_weighted", "_directory", "_named")

    def __init__(
        self,
        data=None,
        *,
        directed: bool | None = None,
        weighted: bool | None = None,
        num_vertices: int | None = None,
        nodes: Iterable[Hashable] | None = None,
        columns: Iterable[str] | None = None,
        weight: str = "weight",
        conflict: str = "last",
        store: str = DEFAULT_STORE,
        max_vertices: int | None = None,
        threads: int | None = None,
    ) -> None:
        _check_kind(directed=directed, weighted=weighted)
        if isinstance(data, (Graph, Snapshot)):
            if num_vertices is not None or nodes is not None:
                raise TypeError(f"{'nodes' if num_vertices is None else 'num_vertices'} is given, and data is a graph, which has vertices")
            version = data.snapshot()
            src, dst, values = version._core.edges()
            listed = Edges(version._core.num_rows, src, dst, values, _copied(version), version.directed)
            edges = _compacted(version, listed)
        elif data is None:
            edges = _sources.from_columns([], [], None, num_vertices, nodes)
        else:
            if isinstance(data, (str, os.PathLike)):
                raise TypeError("data is a path: use pleach_graph.read for files and pleach_graph.open for directories")
            edges = _sources.edges_of(
                data, weighted=weighted, weight=weight, columns=columns, num_vertices=num_vertices, nodes=nodes
            )
        self._build(edges, directed, weighted, conflict, store, max_vertices, threads)

    def _build(self, edges: Edges, directed, weighted, conflict, store, max_vertices, threads) -> None:
        if directed is None:
            directed = True if edges.directed is None else edges.directed
        if directed and edges.directed is False:
            edges = edges.both_ways()
        values = edges.weight
        if weighted is False:
            values = None
        elif weighted and values is None:
            values = np.ones(edges.src.size)
        most = max(edges.rows, DEFAULT_MAX_VERTICES) if max_vertices is None else check_count("max_vertices", max_vertices)
        with _named_edges(edges.ids):
            self._core = _pleach.GraphCore.build(
                edges.rows,
                edges.src,
                edges.dst,
                values,
                directed=bool(directed),
                conflict=conflict,
                store=store,
                max_vertices=most,
                threads=threads,
            )
        self._ids, self._lock = edges.ids, threading.Lock()
        self._ids.limit = most
        self._directed, self._weighted = bool(directed), values is not None
        self._directory = self._named = None

    @classmethod
    def _opened(cls, core: _pleach.GraphCore, held: dict, directory: str, max_vertices: int | None) -> "Graph":
        graph = cls.__new__(cls)
        graph._core, graph._directory, graph._lock = core, directory, threading.Lock()
        graph._directed, graph._weighted, graph._named = held["directed"], held["weighted"], held["ids"]
        if held["ids"] == "none":
            graph._ids = Ids(identity=True)
            # A directory may hold more vertices than the limit for new ones.
            most = DEFAULT_MAX_VERTICES if max_vertices is None else max_vertices
            graph._ids.limit = max(most, core.snapshot().num_rows)
        else:
            pairs = core.names() if held["ids"] == "names" else core.numbers()
            graph._ids = Ids.of([])
            bound = max((number for number, _ in pairs), default=-1) + 1
            graph._ids._names = [None] * bound
            for number, name in pairs:
                graph._ids._names[number] = name
            graph._ids._numbers = {name: number for number, name in pairs}
        return graph

    # What it is.

    @property
    def directed(self) -> bool:
        """Whether edges have a direction."""
        return self._directed

    @property
    def weighted(self) -> bool:
        """Whether edges have weights."""
        return self._weighted

    def snapshot(self) -> Snapshot:
        """A version that holds every change made before: constant time, whatever the size, and it never changes."""
        return Snapshot(self._core.snapshot(), self._ids)

    # How it changes.

    @contextmanager
    def _writing(self):
        """Lets one thread at a time give numbers to ids and apply what names them, and forgets these ids if that fails."""
        # In a child of the process that made the graph the lock may be held for ever: the library refuses it before.
        self._core.check()
        with self._lock:
            mark, batches = self._ids.mark(), self._core.batches()
            try:
                with _named_edges(self._ids):
                    yield
            except Exception:
                # Ids of a directory are in it already. A signal may have raised this while the batch was applied: its vertices are there.
                if self._named in (None, "none") and self._core.batches() == batches:
                    self._ids.restore(mark)
                raise

    def _numbers(self, what: str, values) -> np.ndarray:
        """The numbers of ids. New ids are added."""
        if self._named in ("names", "numbers"):
            return self._interned(what, values)
        numbers = self._ids.numbers(what, values, add=lambda: self._core.snapshot().num_rows)
        if self._named == "none" and not self._ids.identity:
            raise TypeError(f"{what}: the vertices of this directory are integers; open a new one with ids='names'")
        return numbers

    def _interned(self, what: str, values) -> np.ndarray:
        """Ids that the directory keeps, too."""
        names = _names(what, values).tolist()
        kind = str if self._named == "names" else int
        for name in names:
            if not isinstance(name, kind) or isinstance(name, bool):
                raise TypeError(f"{what} holds {name!r}: this directory calls vertices by {self._named}")
            if kind is int and not 0 <= name < 2**64:
                raise ValueError(f"{what} holds {name}: ids of this directory are 0 to 2^64 - 1")
        intern = self._core.intern_names if kind is str else self._core.intern_numbers
        numbers = intern(names)
        for name, number in zip(names, numbers):
            while len(self._ids._names) <= number:
                self._ids._names.append(None)
            self._ids._names[number] = name
            self._ids._numbers[name] = number
        return np.asarray(numbers, dtype=np.uint32)

    def _columns_of(self, src, dst, weight, columns) -> _sources.Columns:
        """Columns of edges as they are passed: one by one, or in any source that `Graph` takes."""
        if dst is not None:
            if columns is not None:
                raise TypeError("columns names the columns of a frame, and src and dst are columns")
            return _sources.Columns(src, dst, weight)
        if weight is not None:
            raise TypeError("weight is given without dst")
        if isinstance(src, (Graph, Snapshot)):
            given = _sources.Columns(*src.edges(data=src.weighted and self._weighted))
            if self._directed and not src.directed:
                given = _sources.Columns(*_sources.both_ways(given.src, given.dst, given.weight))
            return given
        found = _sources.columns_of(src, columns=columns, directed=self._directed)
        # A graph without weights takes the edges of what happens to have some.
        carried = _sources.is_frame(src) or _sources.is_sparse(src) or _sources.is_networkx(src)
        return found if self._weighted or not carried else found._replace(weight=None)

    def _checked(self, given: _sources.Columns, add: bool) -> _sources.Columns:
        """Columns of the same length, and of weights if edges have some."""
        names = given.names
        src, dst, weight = _names(names[0], given.src), _names(names[1], given.dst), given.weight
        if src.size != dst.size:
            raise ValueError(f"{names[0]} and {names[1]} have {src.size} and {dst.size} elements")
        if weight is not None:
            if not self._weighted:
                raise ValueError(f"{names[2]} is given, and the edges of this graph have no weights")
            weight = weights(names[2], weight, src.size)
        elif self._weighted and add:
            weight = np.ones(src.size)
        return _sources.Columns(src, dst, weight, names)

    def _apply(self, codes: np.ndarray, edges: _sources.Columns, threads) -> dict:
        """Applies a batch of columns that were checked."""
        if codes.size != edges.src.size:
            raise ValueError(f"action has {codes.size} elements, and there are {edges.src.size} edges")
        inserts = codes == 0
        with self._writing():
            src, dst = self._ends(edges, inserts)
            there = inserts | (src != MOST) & (dst != MOST)
            if there.all():
                return self._core.apply(codes, src, dst, edges.weight, threads)
            weight = None if edges.weight is None else edges.weight[there]
            done = self._core.apply(codes[there], src[there], dst[there], weight, threads)
        # An id that is not a vertex has no edges.
        pairs = list(zip(edges.src[~there].tolist(), edges.dst[~there].tolist()))
        absent = len(set(pairs) if self._directed else set(map(frozenset, pairs)))
        return done | {"absent": done["absent"] + absent, "merged": done["merged"] + len(pairs) - absent}

    def _ends(self, edges: _sources.Columns, inserts: np.ndarray) -> list[np.ndarray]:
        """The numbers of sources and of targets. Insertions make vertices of new ids; in other changes a new id gets the number `MOST`."""
        columns = list(zip(edges.names, (edges.src, edges.dst)))
        if inserts.all():
            return self._added(columns)
        some = [(what, column[inserts]) for what, column in columns]
        # The insertions of a column of mixed types may all be integers.
        some = [(what, column.tolist() if column.dtype == object else column) for what, column in some]
        ends = [np.full(inserts.size, MOST, dtype=np.uint32) for _ in columns]
        for numbers, added in zip(ends, self._added(some)):
            numbers[inserts] = added
        for numbers, (what, column) in zip(ends, columns):
            numbers[~inserts] = self._ids.found(what, column[~inserts])
        return ends

    def _added(self, columns: list[tuple]) -> list[np.ndarray]:
        """The numbers of ids in columns with names. New ids are added."""
        identity = self._ids.identity
        added = [self._numbers(what, column) for what, column in columns]
        if identity and not self._ids.identity:
            # An id that is not a number ended the identity: the columns before it were read as numbers, and are read again.
            added = [self._numbers(what, column) for what, column in columns]
        return added

    def insert(self, src, dst=None, weight=None, *, columns=None, threads: int | None = None) -> dict:
        """Inserts edges: one batch, of which readers see all or nothing.

        Parameters
        ----------
        src, dst : array_like
            Ids of sources and targets; new ones become vertices. Or edges in anything that `Graph` takes, as `src` alone.
        weight : array_like or float, optional
            Weights, 1 by default. What an edge gets that is there already says the graph's `conflict`.
        columns : sequence of str, optional
            Names of the columns of a frame.
        threads : int, optional
            Threads that apply it.

        Returns
        -------
        dict
            Numbers of edges that are ``new``, ``changed`` and ``unchanged``, of edges ``merged`` because the batch names them
            again, and the ``version`` that holds the batch.

        Raises
        ------
        TypeError, ValueError
            If a column is not as it must be; the graph is as it was before.
        """
        edges = self._checked(self._columns_of(src, dst, weight, columns), add=True)
        return self._apply(np.zeros(edges.src.size, dtype=np.uint8), edges, threads)

    def delete(self, src, dst=None, *, columns=None, threads: int | None = None) -> dict:
        """Deletes edges: one batch. Edges that are not there count as ``absent``, whether or not their ids are vertices.

        Parameters
        ----------
        src, dst : array_like
            As for `insert`, but no id becomes a vertex. Weights are not read.
        """
        edges = self._checked(self._columns_of(src, dst, None, columns)._replace(weight=None), add=False)
        return self._apply(np.full(edges.src.size, 2, dtype=np.uint8), edges, threads)

    #: The codes of actions, by their names and by their spellings in lines of a stream.
    _ACTIONS = {"insert": 0, "+": 0, "a": 0, "reweight": 1, "u": 1, "delete": 2, "-": 2, "d": 2}

    def apply(self, action, src, dst=None, weight=None, *, columns=None, threads: int | None = None) -> dict:
        """Applies a batch of changes of several kinds, in this order.

        Parameters
        ----------
        action : array_like of str
            ``'insert'`` (or ``'+'``, ``'a'``), ``'reweight'`` (``'u'``) or ``'delete'`` (``'-'``, ``'d'``) for each edge, as in a file that
            `stream` reads.
        src, dst, weight : array_like
            As for `insert`; only edges that are inserted make vertices of new ids. Of a source whose edges have no direction, a directed graph
            gets each edge and then each one back, except loops: there are as many actions.

        Returns
        -------
        dict
            As `insert` does, and numbers of edges ``removed`` and ``absent``: those that are to be reweighted or deleted and are not there.
        """
        actions = list(action)
        codes = [self._ACTIONS.get(each) if isinstance(each, str) else None for each in actions]
        if None in codes:
            wrong = actions[codes.index(None)]
            raise ValueError(f"action holds {wrong!r}: expected 'insert', 'reweight' or 'delete'")
        if not self._weighted and 1 in codes:
            raise ValueError(f"action holds {actions[codes.index(1)]!r}, and the edges of this graph have no weights")
        edges = self._checked(self._columns_of(src, dst, weight, columns), add=True)
        return self._apply(np.array(codes, dtype=np.uint8), edges, threads)

    def add_edge(self, u: Hashable, v: Hashable, weight: float | None = None) -> bool:
        """Inserts one edge. Returns whether it is new. Many are inserted faster by `insert`."""
        return self.insert([u], [v], None if weight is None else [weight])["new"] > 0

    def remove_edge(self, u: Hashable, v: Hashable) -> None:
        """Deletes one edge.

        Raises
        ------
        KeyError
            If it is not there.
        """
        if self.delete([u], [v])["absent"]:
            raise KeyError(f"there is no edge from {u!r} to {v!r}")

    def add_node(self, vertex: Hashable) -> None:
        """Makes a vertex be there, with or without edges."""
        self.add_nodes([vertex])

    def add_nodes(self, vertices) -> None:
        """Makes vertices be there, with or without edges."""
        with self._writing():
            self._core.add_vertices(self._numbers("vertices", vertices))

    def remove_node(self, vertex: Hashable) -> None:
        """Removes a vertex with all edges at it.

        Raises
        ------
        KeyError
            If it is no vertex of the graph.
        """
        with self._writing():
            number = np.array([self.snapshot()._number("vertex", vertex)], dtype=np.uint32)
            self._core.apply(np.array([3], dtype=np.uint8), number, number, None, None)

    # Where it is kept.

    @property
    def directory(self) -> str | None:
        """The directory that keeps the graph, if one does."""
        return self._directory

    def checkpoint(self) -> int:
        """Writes the whole graph to its directory, which shortens the log. Returns the version written."""
        return self._core.checkpoint()

    def close(self) -> None:
        """Writes what is left to the directory, and ends. Snapshots remain."""
        self._core.close()

    def __enter__(self) -> "Graph":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __repr__(self) -> str:
        where = f" in {self._directory}" if self._directory else ""
        try:
            return f"<Graph {self.snapshot()._facts()}{where}>"
        except RuntimeError as error:
            # A debugger shows what is closed, or of another process, too.
            return f"<Graph{where}: {error}>"

    def __reduce__(self):
        raise TypeError("a graph cannot be pickled: write it to a file, or send what `to_scipy` or `to_arrow` returns")


def _check_kind(**kinds) -> None:
    """What edges are is true, false, or not said: the name of a column or an attribute is none of these."""
    for name, value in kinds.items():
        if value is not None and not isinstance(value, (bool, np.bool_)):
            raise TypeError(f"{name} must be True, False or None, not {value!r}")


def _path(name: str, path) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{name} must be a path, not {type(path).__name__}")
    return os.fspath(path)


def _copied(version: Snapshot) -> Ids:
    if version._ids.identity and version._numbers is None:
        return Ids(identity=True, found=version._ids._found)
    return Ids.of(list(version))


def _compacted(version: Snapshot, edges: Edges) -> Edges:
    if version._numbers is not None:
        edges.src = version._to_positions(edges.src).astype(np.uint32)
        edges.dst = version._to_positions(edges.dst).astype(np.uint32)
        edges.rows = len(version)
    return edges


def read(
    path: str | os.PathLike,
    *,
    directed: bool | None = None,
    weighted: bool | None = None,
    format: str | None = None,
    columns: str | None = None,
    seed: int = 0,
    **options,
) -> Graph:
    """Reads a graph from a file, or makes a bundled or generated one by its name.

    Parameters
    ----------
    path : path_like
        A file in any format that Pleach reads (lists of edges, Matrix Market, METIS, GraphML, ``.npz``, compressed or not), or a name
        as ``'karate'`` or ``'rmat16'``.
    directed : bool, optional
        What edges are, whatever the file says.
    weighted : bool, optional
        Whether to keep weights. By default if the file has them.
    format : str, optional
        The format, if content and ending do not tell.
    columns : str, optional
        What the columns of a list of edges are, as in ``'src,dst,weight'``.
    seed : int
        Of generated graphs.
    **options
        As for `Graph`: `conflict`, `store`, `max_vertices`, `threads`.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it holds no graph; names line and column.

    Examples
    --------
    >>> import pleach_graph as pl
    >>> pl.read("karate")
    <Graph 34 vertices, 78 edges, undirected, unweighted>
    """
    _check_kind(directed=directed, weighted=weighted)
    src, dst, weight, (rows, cols), is_directed, mirrored, called = _pleach.read(
        _path("path", path), directed, format, columns, seed
    )
    if isinstance(called, tuple):
        first, count = called
        ids = Ids(identity=True) if first == 0 else Ids.of(range(first, first + count))
    else:
        ids = Ids.of(called if isinstance(called, list) else called.tolist())
    if weight is not None and weighted is not False:
        weight = weights("weight", weight, src.size)
    edges = Edges(max(rows, cols), src, dst, weight, ids, is_directed and not mirrored)
    graph = Graph.__new__(Graph)
    known = {"conflict": "last", "store": DEFAULT_STORE, "max_vertices": None, "threads": None}
    unknown = options.keys() - known.keys()
    if unknown:
        raise TypeError(f"read() got an unexpected keyword argument {sorted(unknown)[0]!r}")
    graph._build(edges, None, weighted, **(known | options))
    return graph


def open(
    directory: str | os.PathLike,
    *,
    directed: bool | None = None,
    weighted: bool | None = None,
    conflict: str | None = None,
    ids: str | None = None,
    store: str = DEFAULT_STORE,
    sync: str | float = "each",
    max_vertices: int | None = None,
) -> Graph:
    """Opens the graph in a directory, or makes an empty one there. Every batch is in the directory before its call returns.

    Parameters
    ----------
    directory : path_like
        As ``pleach stream --into`` and ``pleach serve`` make it.
    directed, weighted : bool, optional
        What a new graph is (by default directed, and not weighted). One that exists must be so.
    conflict : str, optional
        As for `Graph`.
    ids : {'numbers', 'names', 'none'}, optional
        What vertices are called: integers below 2^64, strings (the default), or numbers that are given closely from 0 on.
    sync : {'each', 'never'} or float
        When a batch is on the disk: before its call returns, when the system writes it, or after so many seconds.
    store : str
        As for `Graph`.
    max_vertices : int, optional
        The largest number of vertices there may be.

    Raises
    ------
    OSError
        If another process has it open, it is damaged, or it cannot be read.
    ValueError
        If the directory holds another kind of graph.

    Examples
    --------
    >>> import pleach_graph as pl, tempfile
    >>> directory = tempfile.mkdtemp() + "/graph"
    >>> with pl.open(directory) as graph:
    ...     new = graph.insert(["ann"], ["bob"])["new"]
    >>> with pl.open(directory) as graph:
    ...     list(graph)
    ['ann', 'bob']
    """
    directory = _path("directory", directory)
    _check_kind(directed=directed, weighted=weighted)
    asked = {"directed": directed, "weighted": weighted, "conflict": conflict, "ids": ids}
    held = {"directed": True, "weighted": False, "conflict": "last", "ids": "names"}
    try:
        held = _pleach.GraphCore.describe(directory)
    except OSError:
        # There is no graph yet: opening says what else may be wrong.
        held |= {name: value for name, value in asked.items() if value is not None}
    for name, value in asked.items():
        if value is not None and value != held[name]:
            raise ValueError(f"{name} is {value!r}, and the graph in {directory} has {held[name]!r}")
    core = _pleach.GraphCore.open(
        directory,
        weighted=held["weighted"],
        directed=held["directed"],
        conflict=held["conflict"],
        ids=held["ids"],
        store=store,
        sync=str(sync),
        max_vertices=None if max_vertices is None else check_count("max_vertices", max_vertices),
    )
    return Graph._opened(core, held, directory, max_vertices)
