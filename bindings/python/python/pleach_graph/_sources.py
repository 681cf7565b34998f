"""Edges from whatever users have: SciPy, NumPy, Arrow, frames, NetworkX."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import chain, compress
from typing import NamedTuple

import numpy as np

from ._arrays import array_of, arrow_column, is_missing, loaded, optional, plain
from ._ids import MOST, Ids, _names, compact
from ._sparse import canonical, is_sparse


@dataclass
class Edges:
    """Columns of edges between numbered vertices."""

    rows: int
    src: np.ndarray
    dst: np.ndarray
    weight: np.ndarray | None
    ids: Ids
    directed: bool | None = None

    def both_ways(self) -> "Edges":
        """Each edge in both directions; a self loop has one."""
        return Edges(self.rows, *both_ways(self.src, self.dst, self.weight), self.ids, True)


def both_ways(src: np.ndarray, dst: np.ndarray, weight: np.ndarray | None) -> tuple:
    """Columns with each edge in both directions; a self loop has one."""
    back = src != dst
    ends = np.concatenate([src, dst[back]]), np.concatenate([dst, src[back]])
    return *ends, None if weight is None else np.concatenate([weight, weight[back]])


class Columns(NamedTuple):
    """Columns of edges between vertices as they are called."""

    src: object
    dst: object
    weight: object = None
    #: What whoever passed them calls the columns.
    names: tuple[str, str, str] = ("src", "dst", "weight")


def weights(what: str, values, length: int) -> np.ndarray:
    """A column of finite weights."""
    array = array_of(what, values)
    if array.ndim == 0:
        array = np.full(length, array)
    if array.ndim != 1:
        raise ValueError(f"{what} must have one dimension, not {array.ndim}")
    if array.dtype.kind not in "biuf":
        try:
            if array.dtype.kind != "O":
                raise ValueError
            array = array.astype(np.float64)
        except OverflowError:
            raise ValueError(f"{what} holds a number that no float holds") from None
        except (TypeError, ValueError):
            raise TypeError(f"{what} has the dtype {array.dtype}: weights are numbers") from None
    if array.size != length:
        raise ValueError(f"{what} has {array.size} elements, and there are {length} edges")
    array = plain(array, np.float64)
    wrong = np.flatnonzero(~np.isfinite(array))
    if wrong.size:
        raise ValueError(f"{what} holds {array[wrong[0]]} at {wrong[0]}: weights must be finite")
    return array


def is_networkx(value) -> bool:
    """Whether it is a NetworkX graph."""
    return bool(kinds := loaded("networkx", "Graph")) and isinstance(value, kinds)


def from_sparse(matrix, weighted: bool | None, nodes=None, name: str = "data") -> Edges:
    """The nonzeros of a sparse matrix: row i, column j is the edge from i to j. Entries of one place are one, with their sum."""
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{name} has the shape {' × '.join(map(str, matrix.shape))}: the matrix of a graph is square")
    rows = matrix.shape[0]
    if rows > MOST:
        raise ValueError(f"{name} has {rows} rows, and a graph at most {MOST} vertices")
    coo = canonical(matrix, name).tocoo(copy=False)
    src, dst = coo.row, coo.col
    if weighted is None:
        weighted = matrix.dtype.kind != "b" and not bool(np.all(coo.data == 1))
    weight = weights(name, coo.data, src.size) if weighted else None
    ids = Ids(identity=True) if nodes is None else Ids.of(named(nodes))
    if nodes is not None and len(ids) != rows:
        raise ValueError(f"nodes names {len(ids)} vertices, and {name} has {rows} rows")
    return Edges(rows, src.astype(np.uint32), dst.astype(np.uint32), weight, ids)


def named(nodes) -> list[Hashable]:
    """The ids of vertices that a graph shall have."""
    names = _names("nodes", nodes).tolist()
    for name in names:
        try:
            hash(name)
        except TypeError:
            raise TypeError(f"nodes holds a vertex that is not hashable: {name!r}") from None
        if is_missing(name):
            raise ValueError(f"nodes holds {name!r}, which cannot name a vertex")
    return names


def from_columns(src, dst, weight, num_vertices: int | None, nodes, names=("src", "dst", "weight")) -> Edges:
    """Two columns of ids, and one of weights perhaps."""
    src, dst = _names(names[0], src), _names(names[1], dst)
    if src.size != dst.size:
        raise ValueError(f"{names[0]} and {names[1]} have {src.size} and {dst.size} elements")
    if weight is not None:
        weight = weights(names[2], weight, src.size)
    if num_vertices is not None:
        if nodes is not None:
            raise TypeError("num_vertices and nodes exclude each other")
        num_vertices = check_count("num_vertices", num_vertices)
        for what, column in zip(names, (src, dst)):
            if column.size and column.dtype.kind not in "iu":
                raise TypeError(f"{what} must hold integers below num_vertices, not {column.dtype}")
            if column.size and (column.min() < 0 or column.max() >= num_vertices):
                wrong = column.min() if column.min() < 0 else column.max()
                raise ValueError(f"{what} holds {wrong}, and num_vertices is {num_vertices}")
        return Edges(num_vertices, src.astype(np.uint32), dst.astype(np.uint32), weight, Ids(identity=True))
    if nodes is None and src.dtype.kind in "iu" and dst.dtype.kind in "iu" and src.size > 64:
        src, dst, found = compact(src, dst)
        if found is None:
            rows = int(max(src.max(), dst.max())) + 1
            return Edges(rows, src, dst, weight, Ids(identity=True, found=True))
        return Edges(found.size, src, dst, weight, Ids.of(found.tolist()))
    ids = Ids.of([] if nodes is None else named(nodes))
    numbers = ids.numbers(f"{names[0]} or {names[1]}", _joined(src, dst), add=lambda: 0)
    return Edges(len(ids), numbers[0::2].copy(), numbers[1::2].copy(), weight, ids)


def _joined(src: np.ndarray, dst: np.ndarray) -> np.ndarray:
    """Both ends of each edge, one after the other: ids are numbered in the order in which edges name them."""
    whole = src.dtype.kind in "iu" and dst.dtype.kind in "iu"
    both = np.empty(2 * src.size, dtype=np.result_type(src, dst) if whole else object)
    both[0::2], both[1::2] = src, dst
    return both


def check_count(name: str, value) -> int:
    """A number of vertices."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}")
    if not 0 <= value <= MOST:
        raise ValueError(f"{name} must be 0 to {MOST}, not {value}")
    return int(value)


def rows_of(graph) -> list[dict] | None:
    """What each node of a NetworkX graph is joined to, in the order of nodes. ``None`` for a multigraph, and for a view, whose rows are made
    when they are read."""
    rows = None if graph.is_multigraph() else graph._adj
    return list(rows.values()) if type(rows) is dict and all(type(row) is dict for row in rows.values()) else None


def edge_data(graph) -> Iterable[dict]:
    """What NetworkX knows of edges, where it knows anything: of an undirected graph perhaps twice of each."""
    rows = rows_of(graph)
    if rows is None:
        return (data for _, _, data in graph.edges(data=True))
    return filter(None, chain.from_iterable(map(dict.values, rows)))


def _numbers(ids: Ids, names: Iterable, count: int) -> np.ndarray:
    """The numbers of so many nodes. A table finds those of integers that are not much larger than there are nodes faster than a dictionary."""
    table = _table(ids)
    if table is None:
        return np.fromiter(map(ids._numbers.__getitem__, names), dtype=np.uint32, count=count)
    return table[np.fromiter(names, dtype=np.int64, count=count)]


def _table(ids: Ids) -> np.ndarray | None:
    if not all(type(name) is int for name in ids._names):
        return None
    try:
        names = np.fromiter(ids._names, dtype=np.int64, count=len(ids))
    except OverflowError:
        return None
    if names.size == 0 or names.min() < 0 or names.max() >= 16 * names.size + 1024:
        return None
    table = np.zeros(int(names.max()) + 1, dtype=np.uint32)
    table[names] = np.arange(names.size, dtype=np.uint32)
    return table


def from_networkx(graph, weight: str | None, weighted: bool | None, default=1) -> Edges:
    """The nodes and edges of a NetworkX graph, with the attribute `weight` if any edge has it; an edge without it has the `default`."""
    ids = Ids.of(graph.nodes)
    number, rows = ids._numbers, rows_of(graph)
    reads = weighted is not False and weight is not None
    reads = reads and (weighted or any(data.get(weight) is not None for data in edge_data(graph)))
    if rows is None:
        ends = (number[end] for edge in graph.edges() for end in edge[:2])
        ends = np.fromiter(ends, dtype=np.uint32, count=2 * graph.number_of_edges())
        src, dst = ends[0::2].copy(), ends[1::2].copy()
        data = (data for _, _, data in graph.edges(data=True))
    else:
        lengths = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
        src = np.repeat(np.arange(len(rows), dtype=np.uint32), lengths)
        dst = _numbers(ids, chain.from_iterable(rows), src.size)
        data = chain.from_iterable(map(dict.values, rows))
        if not graph.is_directed():
            # Each edge is in the rows of both its ends; it is taken from that of the first.
            first = src <= dst
            src, dst = src[first], dst[first]
            data = compress(data, first.tolist())
    values = None
    if reads:
        given = [data.get(weight) for data in data]
        values = weights(weight, [default if value is None else value for value in given], src.size)
    return Edges(len(ids), src, dst, values, ids, graph.is_directed())


def _pandas_column(name: str, column) -> np.ndarray:
    """A column of pandas': its integers that may be missing would become floats if one is."""
    if column.dtype.kind in "iu" and column.hasnans:
        raise ValueError(f"{name} holds missing values")
    return column.to_numpy()


def collected(data):
    """A frame; what is computed only when somebody asks for it, as polars' lazy frames, is computed."""
    lazy = loaded("polars", "LazyFrame")
    return data.collect() if lazy and isinstance(data, lazy) else data


def frame_columns(frame, columns) -> dict[str, np.ndarray]:
    """The columns of a frame by name: a mapping, a pandas or polars frame, or anything with ``__arrow_c_stream__``."""
    if isinstance(frame, dict):
        if not all(isinstance(name, str) for name in frame):
            raise TypeError("a dictionary has columns by their names, and not neighbours by vertex: nx.Graph takes these")
        table = dict(frame)
    elif isinstance(frame, np.ndarray):
        table = {name: frame[name] for name in frame.dtype.names}
    elif loaded("pandas", "DataFrame") and isinstance(frame, loaded("pandas", "DataFrame")):
        table = {str(name): _pandas_column(str(name), frame.iloc[:, at]) for at, name in enumerate(frame.columns)}
        if len(table) < len(frame.columns):
            raise ValueError(f"a frame of edges has columns of different names, not {', '.join(map(repr, map(str, frame.columns)))}")
    elif hasattr(frame, "__arrow_c_stream__"):
        held = optional("pyarrow", "to read an Arrow stream").table(frame)
        table = {name: arrow_column(name, held.column(name)) for name in held.column_names}
    else:
        raise TypeError(f"a frame has columns; {type(frame).__name__} has none")
    if columns is None:
        return table
    missing = [name for name in columns if name not in table]
    if missing:
        raise KeyError(f"columns names {missing[0]!r}, and there are {', '.join(map(repr, table))}")
    return {name: table[name] for name in columns}


def of_frame(frame, columns, weighted: bool | None) -> Columns:
    """Columns called `src` and `dst` (or the first two), and `weight` (or the third)."""
    table = frame_columns(frame, columns)
    if len(table) < 2:
        raise ValueError("a frame of edges has two columns or more: src, dst and perhaps weight")
    names = list(table)
    if columns is None:
        called = [pair for pair in (("src", "dst"), ("source", "target")) if all(name in table for name in pair)]
        if called:
            rest = [name for name in names if name not in called[0]]
            names = [*called[0], *(["weight"] if "weight" in rest else [])]
    third = names[2] if len(names) > 2 and weighted is not False else None
    if weighted and third is None:
        raise ValueError("the graph is weighted, and the frame has no column of weights")
    weight = None if third is None else table[third]
    return Columns(table[names[0]], table[names[1]], weight, (names[0], names[1], third or "weight"))


def of_array(array: np.ndarray, weighted: bool | None) -> Columns:
    """The two or three columns of an array."""
    array = array_of("data", array)
    if array.ndim != 2 or array.shape[1] not in (2, 3):
        raise ValueError(f"data has the shape {array.shape}: an array of edges has two or three columns")
    third = array[:, 2] if array.shape[1] == 3 and weighted is not False else None
    ends = array[:, :2]
    if ends.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            whole = ends.astype(np.int64)
        if not np.array_equal(whole, ends):
            raise TypeError("data holds vertices that are no integers: pass columns, and ids of any kind")
        ends = whole
    return Columns(ends[:, 0], ends[:, 1], third)


def of_list(edges: Iterable, weighted: bool | None) -> Columns:
    """Columns of edges that are listed one by one."""
    edges = list(edges)
    for edge in edges:
        if not hasattr(edge, "__len__") or isinstance(edge, (str, bytes)) or len(edge) not in (2, 3):
            raise ValueError(f"an edge is (src, dst) or (src, dst, weight), and not {edge!r}")
    edges = [tuple(edge) for edge in edges]
    with_weight = weighted is not False and any(len(edge) == 3 for edge in edges)
    third = [edge[2] if len(edge) == 3 else 1 for edge in edges] if with_weight else None
    return Columns([edge[0] for edge in edges], [edge[1] for edge in edges], third)


def is_frame(data) -> bool:
    """Whether it has columns with names."""
    if isinstance(data, np.ndarray):
        return data.dtype.names is not None
    return isinstance(data, dict) or hasattr(data, "__arrow_c_stream__") or hasattr(data, "columns")


def is_columns(data) -> bool:
    """Whether it is a tuple of columns."""
    return isinstance(data, tuple) and len(data) in (2, 3) and all(hasattr(part, "__len__") for part in data)


def columns_of(
    data, *, weighted: bool | None = None, weight: str = "weight", columns=None, directed: bool = False
) -> Columns:
    """The edges of any source but a file, by the ids of vertices. For a graph that is `directed`, an edge without direction is two."""
    data = collected(data)
    if is_sparse(data) or is_networkx(data):
        edges = from_sparse(data, weighted) if is_sparse(data) else from_networkx(data, weight, weighted)
        if directed and edges.directed is False:
            edges = edges.both_ways()
        return Columns(edges.ids.names(edges.src, 0), edges.ids.names(edges.dst, 0), edges.weight)
    if is_frame(data):
        return of_frame(data, columns, weighted)
    if columns is not None:
        raise TypeError(f"columns names the columns of a frame, and data is a {type(data).__name__}")
    if isinstance(data, np.ndarray):
        return of_array(data, weighted)
    if is_columns(data):
        return Columns(*data[:2], data[2] if len(data) == 3 and weighted is not False else None)
    if hasattr(data, "__iter__") and not isinstance(data, (str, bytes)):
        return of_list(data, weighted)
    raise TypeError(
        f"data is a {type(data).__name__}: expected a sparse matrix, columns (src, dst), a frame, a NetworkX graph or a list of edges"
    )


def edges_of(data, *, weighted=None, weight="weight", columns=None, num_vertices=None, nodes=None) -> Edges:
    """The edges of any source but a file, and all vertices, with numbers."""
    if is_sparse(data) or is_networkx(data):
        if num_vertices is not None:
            raise TypeError(f"num_vertices is given, and data, a {type(data).__name__}, says how many vertices there are")
        if is_sparse(data):
            return from_sparse(data, weighted, nodes)
        if nodes is not None:
            raise TypeError("nodes is given, and data is a NetworkX graph, which has nodes")
        return from_networkx(data, weight, weighted)
    src, dst, weight, names = columns_of(data, weighted=weighted, columns=columns)
    return from_columns(src, dst, weight, num_vertices, nodes, names)
