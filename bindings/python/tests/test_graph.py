"""Graphs: where they come from, how they change, and what they become."""

import pickle

import numpy as np
import pytest

import pleach_graph as pl
from pleach_graph import _sources


def pairs(graph):
    return sorted(zip(*(column.tolist() for column in graph.edges())))


def test_the_empty_and_the_single():
    empty = pl.Graph()
    assert (len(empty), empty.number_of_edges(), list(empty)) == (0, 0, [])
    assert empty.nodes.size == 0 and empty.degree().size == 0
    assert pl.pagerank(empty).size == 0 and pl.connected_components(empty).size == 0
    single = pl.Graph(nodes=["only"])
    assert list(single) == ["only"] and single.degree("only") == 0
    assert pl.pagerank(single).tolist() == [1.0]
    loop = pl.Graph([("a", "a")], directed=False)
    assert loop.degree("a") == 2 and loop.degree().tolist() == [2] and loop.number_of_edges() == 1


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
def test_from_scipy_and_back(index, kind):
    sparse = pytest.importorskip("scipy.sparse")
    dense = np.array([[0, 2.5, 0, 0], [0, 0, 1, 0], [4, 0, 0, 0], [0, 0, 0, 7]])
    for make in (sparse.csr_array, sparse.csr_matrix):
        matrix = make(dense)
        matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
        graph = pl.Graph(matrix.asformat(kind))
        assert graph.directed and graph.weighted and len(graph) == 4
        assert np.array_equal(graph.to_scipy().toarray(), dense)
        assert graph.weight(0, 1) == 2.5 and graph.has_edge(3, 3) and not graph.has_edge(1, 0)
    assert not pl.Graph(sparse.csr_array(dense != 0)).weighted


def test_unsorted_and_repeated_nonzeros():
    sparse = pytest.importorskip("scipy.sparse")
    data, indices, indptr = np.array([1.0, 2, 3, 4]), np.array([2, 0, 0, 1]), np.array([0, 3, 4, 4])
    matrix = sparse.csr_array((data, indices, indptr), shape=(3, 3))
    assert not matrix.has_sorted_indices
    graph = pl.Graph(matrix, conflict="sum")
    assert graph.to_scipy().toarray().tolist() == [[5, 0, 1], [0, 4, 0], [0, 0, 0]]


def test_results_share_memory_and_nobody_writes_to_them(random_graph):
    pytest.importorskip("scipy")
    snapshot = random_graph.snapshot()
    first, second = snapshot.to_scipy(), snapshot.to_scipy()
    for name in ("data", "indices", "indptr"):
        one, other = getattr(first, name), getattr(second, name)
        assert one.__array_interface__["data"][0] == other.__array_interface__["data"][0], name
        with pytest.raises(ValueError):
            one[0] = 9
        with pytest.raises(ValueError):
            one.setflags(write=True)
    copy = snapshot.to_scipy(copy=True)
    copy.data[:] = 0
    assert snapshot.to_scipy().data.min() > 0


def test_columns_are_copied():
    src, dst, weight = np.array([0, 1], dtype=np.uint32), np.array([1, 2], dtype=np.uint32), np.array([1.0, 2.0])
    graph = pl.Graph((src, dst, weight), num_vertices=3)
    src[:], dst[:], weight[:] = 77, 99, np.nan
    assert pairs(graph) == [(0, 1), (1, 2)] and graph.weight(0, 1) == 1


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64])
def test_columns_of_any_integers(dtype):
    src, dst = np.array([5, 7, 5, 100], dtype=dtype), np.array([7, 5, 100, 100], dtype=dtype)
    graph = pl.Graph((src, dst))
    assert sorted(graph) == [5, 7, 100] and pairs(graph) == [(5, 7), (5, 100), (7, 5), (100, 100)]
    strided = pl.Graph((np.repeat(src, 2)[::2], dst[::1]))
    assert pairs(strided) == pairs(graph)


def test_many_columns_are_numbered_by_id():
    rng = np.random.default_rng(1)
    for low, high in [(0, 500), (-50, 50), (10**12, 10**12 + 10**9), (0, 10**7)]:
        src, dst = rng.integers(low, high, 1000), rng.integers(low, high, 1000)
        graph = pl.Graph((src, dst))
        assert np.array_equal(graph.nodes, np.unique([src, dst]))
        assert pairs(graph) == sorted(set(zip(src.tolist(), dst.tolist())))


def test_any_hashable_is_a_vertex():
    names = ["a", 1, (2, 3), frozenset({4}), 5.5, b"six"]
    graph = pl.Graph(list(zip(names, names[1:])))
    assert list(graph) == names
    assert graph.neighbors((2, 3)).tolist() == [frozenset({4})] and graph.has_edge(5.5, b"six")
    graph.insert([(9, 9)], ["a"])
    assert (9, 9) in graph and [1, 2] not in graph
    tuples = pl.Graph([((0, 0), (0, 1)), ((0, 1), (1, 1))])
    assert list(tuples) == [(0, 0), (0, 1), (1, 1)]
    assert pl.bfs(tuples, (0, 0)).distance.tolist() == [0, 1, 2]


def test_from_frames_and_arrow():
    columns = {"src": ["x", "y"], "dst": ["y", "z"], "weight": [1.5, 2.5]}
    for frame in frames(columns):
        graph = pl.Graph(frame)
        assert graph.weighted and pairs(graph) == [("x", "y"), ("y", "z")] and graph.weight("y", "z") == 2.5
        assert graph.insert(frame)["unchanged"] == 2
        assert pairs(pl.Graph(frame, columns=["dst", "src"])) == [("y", "x"), ("z", "y")]


def frames(columns):
    yield columns
    for module, make in (("pyarrow", "table"), ("pandas", "DataFrame"), ("polars", "DataFrame")):
        try:
            yield getattr(__import__(module), make)(columns)
        except ImportError:
            pass


def test_to_arrow_is_read_back():
    pyarrow = pytest.importorskip("pyarrow")
    graph = pl.Graph([(3, 1, 0.5), (1, 2, 4)])
    table = graph.to_arrow()
    assert table.column_names == ["src", "dst", "weight"]
    assert pairs(pl.Graph(pyarrow.table(graph))) == pairs(graph)


def test_from_networkx_and_back():
    networkx = pytest.importorskip("networkx")
    for kind in (networkx.Graph, networkx.DiGraph):
        other = kind()
        other.add_nodes_from(["z", "lonely"])
        other.add_edge("a", "b", weight=2)
        other.add_edge("b", "z")
        graph = pl.Graph(other)
        assert list(graph) == ["z", "lonely", "a", "b"] and graph.directed == other.is_directed()
        assert graph.weighted and graph.weight("b", "z") == 1 and graph.degree("lonely") == 0
        back = graph.to_networkx()
        assert networkx.utils.nodes_equal(back, other) and type(back) is type(other)
        assert set(map(frozenset, back.edges)) == set(map(frozenset, other.edges)) and back["a"]["b"]["weight"] == 2


def test_files(tmp_path):
    (tmp_path / "edges.csv").write_text("src,dst,weight\n10,20,1.5\n20,30,2.5\n")
    graph = pl.read(tmp_path / "edges.csv")
    assert list(graph) == [10, 20, 30] and graph.weight(20, 30) == 2.5
    graph.write(tmp_path / "out.mtx")
    assert pl.read(tmp_path / "out.mtx").number_of_edges() == 2
    # Ids stay what they are, in whatever order they came, and vertices that were removed are not written.
    for edges in ([(30, 10), (10, 20)], [(2, 0), (0, 1)], [(5, 0), (0, 3)]):
        for directed in (True, False):
            graph = pl.Graph(edges, directed=directed, nodes=sorted({v for edge in edges for v in edge}, reverse=True))
            graph.insert([edges[0][0]], [77])
            graph.remove_node(77)
            graph.write(tmp_path / "out.el")
            back = pl.read(tmp_path / "out.el", directed=directed)
            assert {frozenset(edge) for edge in zip(*back.edges())} == {frozenset(edge) for edge in edges}, edges
    with pytest.raises(OSError):
        pl.read(tmp_path / "missing.mtx")
    (tmp_path / "bad.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n")
    with pytest.raises(ValueError, match="line 3|:3:"):
        pl.read(tmp_path / "bad.mtx")


@pytest.mark.parametrize("directed", [True, False])
def test_changes_against_a_set_of_edges(directed):
    rng = np.random.default_rng(3)
    graph, edges = pl.Graph(directed=directed, weighted=True), {}
    key = (lambda u, v: (u, v)) if directed else (lambda u, v: (min(u, v), max(u, v)))
    for _ in range(30):
        size = int(rng.integers(0, 40))
        ends = rng.integers(0, 25, (2, size))
        weight = rng.integers(1, 9, size).astype(float)
        action = rng.choice(["insert", "delete", "reweight"], size)
        graph.apply(action, [f"v{u}" for u in ends[0]], [f"v{v}" for v in ends[1]], weight)
        for kind, u, v, value in zip(action, *ends.tolist(), weight):
            at = key(f"v{u}", f"v{v}")
            if kind == "insert" or kind == "reweight" and at in edges:
                edges[at] = value
            elif kind == "delete":
                edges.pop(at, None)
        found = {key(u, v): w for u, v, w in zip(*(column.tolist() for column in graph.edges(data=True)))}
        assert found == edges


def test_single_changes():
    graph = pl.Graph(directed=False)
    assert graph.add_edge("a", "b") and not graph.add_edge("b", "a")
    graph.add_node("c")
    assert graph.degree("c") == 0 and len(graph) == 3
    graph.remove_edge("a", "b")
    with pytest.raises(KeyError):
        graph.remove_edge("a", "b")
    graph.remove_node("c")
    assert "c" not in graph and list(graph) == ["a", "b"]
    with pytest.raises(KeyError):
        graph.remove_node("c")
    graph.add_edge("c", "a")
    assert list(graph) == ["a", "b", "c"]


def test_results_leave_removed_vertices_out():
    graph = pl.Graph([("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")], directed=False)
    graph.remove_node("b")
    assert list(graph) == ["a", "c", "d", "e"] and graph.position("d") == 2
    assert graph.bfs("c").distance.tolist() == [-1, 0, 1, 2] and graph.bfs("c").predecessor.tolist() == [-1, 1, 1, 2]
    assert graph.connected_components().tolist() == [0, 1, 1, 1]
    assert graph.degree().tolist() == [0, 1, 2, 1]
    assert pl.frame(graph, rank=graph.pagerank())["node"].tolist() == ["a", "c", "d", "e"]
    again = pl.Graph(graph)
    assert list(again) == ["a", "c", "d", "e"] and pairs(again) == pairs(graph)
    scipy = pytest.importorskip("scipy.sparse")
    assert isinstance(graph.to_scipy(), scipy.csr_array)
    assert graph.to_scipy().toarray().tolist() == [[0, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]


def test_a_snapshot_never_changes():
    graph = pl.Graph([(0, 1)], num_vertices=5)
    before = graph.snapshot()
    graph.insert([1, 2], [2, 3])
    graph.delete([0], [1])
    assert pairs(before) == [(0, 1)] and pairs(graph) == [(1, 2), (2, 3)]
    changes = graph.snapshot().diff(before)
    assert [column.tolist() for column in changes["added"][:2]] == [[1, 2], [2, 3]]
    assert [column.tolist() for column in changes["removed"][:2]] == [[0], [1]]
    with pytest.raises(ValueError, match="another graph"):
        before.diff(pl.Graph([(0, 1)]).snapshot())


def test_a_graph_in_a_directory(tmp_path):
    where = tmp_path / "graph"
    with pl.open(where, directed=False, weighted=True) as graph:
        graph.insert(["a", "b"], ["b", "c"], [1.5, 2.5])
        version = graph.version
        assert graph.directory == str(where)
    with pytest.raises(RuntimeError, match="closed"):
        graph.insert(["a"], ["z"])
    with pl.open(where) as graph:
        assert (graph.version, list(graph), graph.weight("c", "b")) == (version, ["a", "b", "c"], 2.5)
        graph.add_edge("d", "a")
        graph.checkpoint()
        with pytest.raises(OSError):
            pl.open(where)
        with pytest.raises(TypeError, match="names"):
            graph.insert([5], ["a"])
    with pytest.raises(ValueError, match="directed"):
        pl.open(where, directed=True)
    with pl.open(tmp_path / "numbers", ids="numbers") as graph:
        graph.insert([10**15, 7], [7, 8])
    with pl.open(tmp_path / "numbers") as graph:
        assert pairs(graph) == [(7, 8), (10**15, 7)]


def test_it_shows_itself():
    graph = pl.Graph([("<a>", "b")])
    assert repr(graph) == "<Graph 2 vertices, 1 edges, directed, unweighted>"
    assert repr(graph.snapshot()).startswith("<Snapshot 2 vertices")
    assert graph._repr_html_().startswith("<table>") and "vertices" in graph.snapshot()._repr_html_()
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(graph)


def test_every_store_holds_the_same(random_graph):
    src, dst, weight = random_graph.edges(data=True)
    for store in ("paged,packed", "bst,ctree", "dense,blist", "aspen", "terrace"):
        graph = pl.Graph((src, dst, weight), num_vertices=60, store=store)
        assert np.array_equal(graph.pagerank(), random_graph.pagerank()), store
        assert np.array_equal(graph.single_source_dijkstra_path_length(3), random_graph.single_source_dijkstra_path_length(3))


def test_networkx_graphs_of_every_kind():
    nx = pytest.importorskip("networkx")
    rng = np.random.default_rng(3)
    pairs = rng.integers(0, 60, (400, 2)).tolist()
    for kind in (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph):
        for called in (int, str, lambda k: k * 10**12, lambda k: k - 30):
            graph = kind()
            graph.add_nodes_from(called(k) for k in (61, 7))
            for k, (u, v) in enumerate(pairs):
                graph.add_edge(called(u), called(v), **({"weight": k % 5 + 0.5} if k % 3 else {}))
            for source in (graph, graph.subgraph(list(graph)[:40])):
                found = _sources.from_networkx(source, "weight", None)
                names = found.ids.list(None, found.rows)
                assert names == list(source)
                edges = [(names[u], names[v]) for u, v in zip(found.src.tolist(), found.dst.tolist())]
                assert edges == [edge[:2] for edge in source.edges()]
                assert found.weight.tolist() == [data.get("weight", 1) for _, _, data in source.edges(data=True)]
                assert _sources.from_networkx(source, "other", None).weight is None


def test_arrow_columns_of_ids():
    pyarrow = pytest.importorskip("pyarrow")
    graph = pl.Graph((pyarrow.array([0, 1]), pyarrow.chunked_array([[1], [2]])))
    assert graph.nodes.tolist() == [0, 1, 2] and graph.nodes.dtype == np.int64 and graph.has_edge(1, 2)
    graph.insert(pyarrow.array(["a"]), pyarrow.array(["b"]))
    assert graph.neighbors("a").tolist() == ["b"] and type(list(graph)[-1]) is str
    called = pyarrow.array(["x", "y"]).dictionary_encode()
    assert list(pl.Graph(pyarrow.table({"src": called, "dst": pyarrow.array(["y", "z"])}))) == ["x", "y", "z"]
    with pytest.raises(ValueError, match="src holds nulls"):
        pl.Graph((pyarrow.array([0, None]), pyarrow.array([1, 2])))
    import decimal

    huge = pyarrow.array([decimal.Decimal(1), decimal.Decimal(2**70)], pyarrow.decimal128(38, 0))
    assert list(pl.Graph({"src": huge, "dst": [5, 6]})) == [1, 5, 2**70, 6]


def test_categories_of_polars_and_integers_of_duckdb():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"a": ["x", "y"], "b": ["y", "z"]}, schema={"a": polars.Categorical, "b": polars.Categorical})
    assert list(pl.Graph(frame)) == ["x", "y", "z"]
    duckdb = pytest.importorskip("duckdb")
    graph = pl.Graph(duckdb.sql("select 1::hugeint a, 2 b union all select 3::hugeint, 4 order by 1"))
    assert list(graph) == [1, 2, 3, 4] and {type(name) for name in graph} == {int}


def test_times_are_ids():
    days = np.array(["2024-01-01", "2024-01-02"], dtype="datetime64[ns]")
    graph = pl.Graph((days, days[::-1]))
    assert list(graph) == list(days) and days[0] in graph and graph.has_edge(days[0], days[1])
    with pytest.raises(ValueError, match="NaT"):
        pl.Graph((np.array(["NaT"], dtype="datetime64[s]"), days[:1]))


@pytest.mark.parametrize("make", ["networkx", "graph"])
def test_undirected_edges_become_two(make):
    pairs_ = [("a", "b", 2.0), ("b", "b", 3.0), ("b", "c", 4.0)]
    if make == "networkx":
        networkx = pytest.importorskip("networkx")
        source = networkx.Graph()
        source.add_weighted_edges_from(pairs_)
    else:
        source = pl.Graph(pairs_, directed=False)
    graph = pl.Graph(source, directed=True)
    assert pairs(graph) == [("a", "b"), ("b", "a"), ("b", "b"), ("b", "c"), ("c", "b")]
    assert graph.weight("c", "b") == 4 and graph.weight("b", "b") == 3


def test_repeated_entries_are_summed():
    sparse = pytest.importorskip("scipy.sparse")
    entries = np.array([1.0, 1.0, 3.0]), (np.array([0, 0, 1]), np.array([1, 1, 0]))
    coo = sparse.coo_array(entries, shape=(2, 2))
    csr = sparse.csr_array((entries[0], np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    for matrix in (coo, csr):
        graph = pl.Graph(matrix)
        assert graph.weighted and graph.weight(0, 1) == 2 and graph.weight(1, 0) == 3
        assert matrix.nnz == 3
    assert pl.Graph(sparse.coo_array((np.ones(2), (np.array([0, 0]), np.array([1, 1]))), shape=(2, 2))).weight(0, 1) == 2


def test_names_of_rows():
    sparse = pytest.importorskip("scipy.sparse")
    graph = pl.Graph(sparse.csr_array(np.array([[0, 1], [0, 0]])), nodes=["a", "b"])
    assert list(graph) == ["a", "b"] and graph.has_edge("a", "b")


def test_edges_of_lists():
    graph = pl.Graph([(0, 1), (1, 2)])
    assert graph.has_edge([0, 1, 2], [1, 2, 0]).tolist() == [True, True, False]
    assert graph.has_edge([0, -1, 2**40], [1, 1, 1]).tolist() == [True, False, False]
    named = pl.Graph([("a", "b")])
    assert named.has_edge(["a", "a", "zoe"], ["b", "zoe", "b"]).tolist() == [True, False, False]
    assert np.isnan(named.weights(["a"], ["zoe"])).all() and named.weights(["a"], ["b"]).tolist() == [1.0]


def test_ids_that_happen_to_be_numbers_bind_nobody():
    numbers = np.arange(100)
    graph = pl.Graph((numbers, numbers + 1))
    graph.insert([-1, 2**40], [0, 100])
    graph.add_edge("x", -1)
    assert graph.has_edge(-1, 0) and graph.has_edge(2**40, 100) and graph.has_edge("x", -1) and graph.has_edge(99, 100)
    assert len(graph) == 104 and graph.degree(100) == 2
    # Numbers that would cost too much memory are names, too, and so are those beside them.
    for far in (2**26, 2**31, 2**32 - 2, 2**32 - 1, "x"):
        graph = pl.Graph((numbers, numbers + 1))
        graph.insert([500, 0], [far, far])
        assert graph.has_edge(500, far) and graph.has_edge(0, far) and graph.has_edge(99, 100) and len(graph) == 103
    few = pl.Graph((numbers, numbers + 1), max_vertices=103)
    few.insert([0], [300])
    assert few.has_edge(0, 300) and len(few) == 102
    # Who says how many vertices there are says that they are numbers.
    counted = pl.Graph((numbers, numbers + 1), num_vertices=101)
    with pytest.raises(ValueError, match="no vertex number"):
        counted.insert([-1], [0])
