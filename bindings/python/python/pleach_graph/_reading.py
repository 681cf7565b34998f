"""What can be asked of a graph and of a version of it: a graph answers by its newest version."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _pleach
from ._arrays import optional
from ._methods import Methods

if TYPE_CHECKING:
    from ._graph import Snapshot


class Readable(Methods):
    """What graphs and snapshots have in common. All algorithms are methods, too."""

    __slots__ = ()

    def snapshot(self) -> "Snapshot":
        """The version that is read."""
        raise NotImplementedError

    # What it is.

    @property
    def directed(self) -> bool:
        """Whether edges have a direction."""
        raise NotImplementedError

    @property
    def weighted(self) -> bool:
        """Whether edges have weights."""
        raise NotImplementedError

    def is_directed(self) -> bool:
        """Whether edges have a direction."""
        return self.directed

    @property
    def version(self) -> int:
        """The number of batches that the graph had taken."""
        return self.snapshot()._core.version

    @property
    def nbytes(self) -> int:
        """Bytes of all rows, including those that are shared with other versions."""
        return self.snapshot()._core.nbytes

    def number_of_nodes(self) -> int:
        """The number of vertices."""
        return self.snapshot()._core.num_vertices

    def number_of_edges(self) -> int:
        """The number of edges; an undirected one counts once."""
        return self.snapshot()._core.num_edges

    def __len__(self) -> int:
        return self.snapshot()._core.num_vertices

    def __bool__(self) -> bool:
        return True

    def __contains__(self, vertex: Hashable) -> bool:
        version = self.snapshot()
        try:
            number = version._ids.number(vertex)
        except TypeError:
            return False
        return number is not None and version._core.has_vertex(number)

    @property
    def nodes(self) -> np.ndarray:
        """The ids of the vertices in vertex order: the order of all results.

        Returns
        -------
        numpy.ndarray
            Of ``int64`` if all ids are integers, else of ``object``.
        """
        version = self.snapshot()
        return version._ids.names(version._numbers, version._core.num_rows)

    def __iter__(self) -> Iterator[Any]:
        version = self.snapshot()
        return iter(version._ids.list(version._numbers, version._core.num_rows))

    def position(self, vertex: Hashable) -> int:
        """Where a vertex is in vertex order: the index of its values in all results.

        Raises
        ------
        KeyError
            If it is no vertex of the graph.
        """
        version = self.snapshot()
        number = version._number("vertex", vertex)
        return int(version._to_positions(np.array([number]))[0])

    # Its edges.

    def neighbors(self, vertex: Hashable) -> np.ndarray:
        """The vertices that edges lead to from this one.

        Raises
        ------
        KeyError
            If it is no vertex of the graph.
        """
        version = self.snapshot()
        numbers, _ = version._core.neighbors(version._number("vertex", vertex), False)
        return version._ids.names(numbers, 0)

    successors = neighbors

    def predecessors(self, vertex: Hashable) -> np.ndarray:
        """The vertices from which edges lead to this one."""
        version = self.snapshot()
        numbers, _ = version._core.neighbors(version._number("vertex", vertex), True)
        return version._ids.names(numbers, 0)

    def adjacent(self, vertex: Hashable) -> dict[Any, float]:
        """The neighbours of a vertex, and the weights of the edges to them (1 if they have none)."""
        version = self.snapshot()
        numbers, values = version._core.neighbors(version._number("vertex", vertex), False)
        names = version._ids.list(numbers, 0)
        return dict.fromkeys(names, 1.0) if values is None else dict(zip(names, values.tolist()))

    __getitem__ = adjacent

    def degree(self, vertex: Hashable | None = None) -> Any:
        """The degree of a vertex (in a directed graph, of out-edges and in-edges), or of all in vertex order.

        As in NetworkX, a self loop of an undirected graph counts twice.
        """
        version = self.snapshot()
        if vertex is None:
            out = version.out_degree()
            if version.directed:
                return out + version.in_degree()
            return out + version._has_loop()
        number = version._number("vertex", vertex)
        degree = version._core.degree(number, False)
        if version.directed:
            return degree + version._core.degree(number, True)
        return degree + (version._core.weight(number, number) is not None)

    def out_degree(self, vertex: Hashable | None = None) -> Any:
        """The number of edges that lead out of a vertex, or of all in vertex order."""
        version = self.snapshot()
        if vertex is not None:
            return version._core.degree(version._number("vertex", vertex), False)
        return version._by_position(np.diff(version._rows(False)[0]))

    def in_degree(self, vertex: Hashable | None = None) -> Any:
        """The number of edges that lead into a vertex, or of all in vertex order."""
        version = self.snapshot()
        if vertex is not None:
            return version._core.degree(version._number("vertex", vertex), True)
        return version._by_position(np.diff(version._rows(version.directed)[0]))

    def has_edge(self, u: Any, v: Any) -> Any:
        """Whether there is an edge; with two arrays or lists of vertices, for each pair."""
        version = self.snapshot()
        if isinstance(u, (list, np.ndarray)) and isinstance(v, (list, np.ndarray)):
            return ~np.isnan(version.weights(u, v))
        try:
            numbers = version._ids.number(u), version._ids.number(v)
        except TypeError:
            return False
        return None not in numbers and version._core.weight(*numbers) is not None

    def weight(self, u: Hashable, v: Hashable) -> float:
        """The weight of an edge, 1 if edges have none.

        Raises
        ------
        KeyError
            If there is no such edge.
        """
        version = self.snapshot()
        found = version._core.weight(version._number("u", u), version._number("v", v))
        if found is None:
            raise KeyError(f"there is no edge from {u!r} to {v!r}")
        return found

    def weights(self, u: Any, v: Any) -> np.ndarray:
        """The weights of many edges, NaN where there is none."""
        version = self.snapshot()
        src, dst = version._ids.found("u", u), version._ids.found("v", v)
        if src.size != dst.size:
            raise ValueError(f"u and v have {src.size} and {dst.size} elements")
        return version._core.weights(src, dst)

    def edges(self, data: bool = False) -> tuple[np.ndarray, ...]:
        """All edges in columns, ascending by number; an undirected one comes once.

        Parameters
        ----------
        data : bool
            Whether to return the weights as a third column.
        """
        version = self.snapshot()
        src, dst, weight = version._core.edges()
        columns = version._ids.names(src, 0), version._ids.names(dst, 0)
        if not data:
            return columns
        return *columns, np.ones(src.size) if weight is None else weight

    # In other forms.

    def _repr_html_(self) -> str:
        from html import escape

        try:
            version = self.snapshot()
        except RuntimeError:
            # A notebook shows what is closed, or of another process, too.
            return f"<pre>{escape(repr(self))}</pre>"
        facts = {
            "vertices": f"{len(version):,}",
            "edges": f"{version.number_of_edges():,}",
            "kind": f"{'directed' if self.directed else 'undirected'}, {'weighted' if self.weighted else 'unweighted'}",
            "version": f"{version.version}",
            "memory": f"{version.nbytes / 2**20:,.1f} MiB",
        }
        rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(fact)}</td></tr>" for name, fact in facts.items())
        return f"<table><caption>{type(self).__name__}</caption>{rows}</table>"

    def to_scipy(self, *, copy: bool = False) -> Any:
        """The adjacency matrix in vertex order: ``A[i, j]`` is the weight of the edge from i to j, 1 if edges have none.

        The arrays belong to the snapshot and are read-only; two calls return the same memory. An undirected edge is two entries.

        Parameters
        ----------
        copy : bool
            Whether to return arrays of its own, which may be written.

        Returns
        -------
        scipy.sparse.csr_array
        """
        version = self.snapshot()
        csr_array = optional("scipy.sparse", "to_scipy").csr_array
        rows = version._core.num_rows
        indptr, indices, data = version._rows(False)
        if indptr[-1] <= np.iinfo(np.int32).max:
            indptr = version._narrow(indptr)
        if data is None:
            data = version._ones(indices.size)
        # Of views whose base is read-only NumPy lets nobody make a writable one.
        matrix = csr_array((data.view(), indices.view(), indptr.view()), shape=(rows, rows), copy=copy)
        matrix.has_sorted_indices = True
        matrix.has_canonical_format = True
        return matrix if version._numbers is None else matrix[version._numbers][:, version._numbers]

    def to_arrow(self) -> Any:
        """The edges as an Arrow table with the columns `src`, `dst` and, if edges have weights, `weight`.

        Returns
        -------
        pyarrow.Table
        """
        version = self.snapshot()
        pyarrow = optional("pyarrow", "to_arrow")
        src, dst, weight = version._core.edges()
        columns = {"src": version._ids.names(src, 0), "dst": version._ids.names(dst, 0)}
        if weight is not None:
            columns["weight"] = weight
        try:
            return pyarrow.table({name: pyarrow.array(column) for name, column in columns.items()})
        except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError) as error:
            raise TypeError(f"to_arrow: a column of Arrow's has ids of one type that it knows: {error}") from None

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.snapshot().to_arrow().__arrow_c_stream__(requested_schema)

    def to_networkx(self, weight: str = "weight") -> Any:
        """A NetworkX graph with the same vertices and edges.

        Parameters
        ----------
        weight : str
            The attribute that holds weights, if edges have them.
        """
        version = self.snapshot()
        networkx = optional("networkx", "to_networkx")
        graph = networkx.DiGraph() if version.directed else networkx.Graph()
        graph.add_nodes_from(version)
        src, dst, values = version._core.edges()
        ends = version._ids.list(src, 0), version._ids.list(dst, 0)
        if values is None:
            graph.add_edges_from(zip(*ends))
        else:
            graph.add_weighted_edges_from(zip(*ends, values.tolist()), weight=weight)
        return graph

    def write(self, path: str | os.PathLike) -> None:
        """Writes the graph to a file; the ending chooses the format (``.mtx``, ``.el``, ``.graphml``, ``.plg``, …).

        Ids are written where they are integers from 0 on. Others become numbers in vertex order.
        """
        version = self.snapshot()
        src, dst, weight = version._core.edges()
        src, dst = (version._to_positions(ends).astype(np.uint32) for ends in (src, dst))
        nodes, ids = version.nodes, None
        if nodes.dtype.kind == "i" and nodes.min(initial=0) >= 0 and not np.array_equal(nodes, np.arange(nodes.size)):
            # Files have vertices in the order of their ids.
            order = np.argsort(nodes, kind="stable")
            places = np.empty(order.size, dtype=np.uint32)
            places[order] = np.arange(order.size, dtype=np.uint32)
            src, dst, ids = places[src], places[dst], nodes[order].tolist()
        _pleach.write(os.fspath(path), len(version), src, dst, weight, version.directed, ids)
