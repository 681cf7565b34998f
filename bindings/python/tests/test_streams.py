"""Streams, and results that follow them."""

import asyncio
import gzip
import io

import numpy as np
import pytest

import pleach_graph as pl


def edges(count, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 200, (2, count))


def test_every_source_gives_the_same():
    src, dst = edges(1000)
    pairs = list(zip(src.tolist(), dst.tolist()))
    expected = set(pairs)
    sources = [pairs, iter(pairs), (pair for pair in pairs), [(src, dst)], [{"src": src, "dst": dst}]]
    sources += [[(src[at : at + 300], dst[at : at + 300]) for at in range(0, 1000, 300)]]
    try:
        import pyarrow

        sources += [pyarrow.table({"src": src, "dst": dst})]
    except ImportError:
        pass
    for source in sources:
        graph, seen = pl.Graph(), []
        done = pl.stream(source, graph, batch=70, on_batch=seen.append)
        assert set(zip(*(column.tolist() for column in graph.edges()))) == expected
        assert done["batches"] == len(seen) == graph.version >= 15 and done["new"] == len(expected)
    assert pl.stream([], graph)["batches"] == 0


def test_what_is_whole_is_read_as_a_graph_reads_it():
    columns = np.array([0, 1]), np.array([2, 3])
    sources = [columns, tuple(column.tolist() for column in columns), np.column_stack(columns), (*columns, np.array([1.0, 2.0]))]
    try:
        import scipy.sparse

        sources += [scipy.sparse.coo_array((np.array([1.0, 2.0]), columns), shape=(4, 4))]
        sources += [sources[-1].tocsr(), scipy.sparse.dok_matrix(sources[-1])]
    except ImportError:
        pass
    try:
        import networkx

        sources += [networkx.DiGraph([(0, 2), (1, 3)])]
    except ImportError:
        pass
    for source in sources:
        weighted = not isinstance(source, tuple) or len(source) == 3
        graph = pl.Graph(weighted=weighted)
        assert pl.stream(source, graph, batch=1)["batches"] == 2
        assert sorted(zip(*graph.edges(data=True))) == sorted(zip(*pl.Graph(source, weighted=weighted).edges(data=True)))
        assert list(zip(*graph.edges())) == [(0, 2), (1, 3)]
        if not isinstance(source, tuple):
            graph = pl.Graph()
            pl.stream(source, graph)
            assert list(zip(*graph.edges())) == [(0, 2), (1, 3)]


@pytest.mark.parametrize("columns", [(2, 4), (4, 2), (3, 3, 1), (3,), (1, 1, 1, 1)])
def test_columns_of_different_lengths(columns):
    graph = pl.Graph(weighted=True)
    with pytest.raises(ValueError, match="columns"):
        pl.stream([tuple(map(np.arange, columns))], graph, batch=2)
    assert not graph.number_of_edges()


def test_frames_that_come_one_by_one(tmp_path):
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "edges.csv"
    path.write_text("src,dst\n0,1\n1,2\n2,3\n")
    graph = pl.Graph()
    assert pl.stream(pandas.read_csv(path, chunksize=1), graph)["batches"] == 3
    assert list(zip(*graph.edges())) == [(0, 1), (1, 2), (2, 3)]


def test_files(tmp_path):
    path = tmp_path / "edges.txt"
    path.write_text("".join(f"{k} {k + 1} {k / 2}\n" for k in range(1000)))
    packed = tmp_path / "edges.txt.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    for weighted in (True, False):
        for source in (str(path), path, str(packed), path.open(), path.open("rb"), io.StringIO(path.read_text())):
            graph = pl.Graph(weighted=weighted)
            done = pl.stream(source, graph, batch=300)
            assert (done["batches"], done["new"]) == (4, 1000) and graph.weighted == weighted
            assert graph.has_edge(999, 1000) and graph.weight(500, 501) == (250 if weighted else 1)
    changes = tmp_path / "changes.txt"
    changes.write_text("+ 1 2\n+ 2 3\n- 1 2\n")
    graph = pl.Graph()
    assert pl.stream(changes, graph, batch=2)["removed"] == 1 and list(zip(*graph.edges())) == [(2, 3)]
    called = tmp_path / "names.csv"
    called.write_text("ann,bob\nbob,cid\n")
    graph = pl.Graph()
    assert pl.stream(called, graph, names=True)["new"] == 2 and list(graph) == ["ann", "bob", "cid"]
    called.write_text("src,weight,dst\n1,2.5,3\n")
    graph = pl.Graph(weighted=True)
    pl.stream(called, graph)
    assert graph.weight(1, 3) == 2.5


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileNotFoundError, match="nothing.txt"):
        pl.stream(tmp_path / "nothing.txt", pl.Graph())
    (tmp_path / "wrong.txt").write_text("1 2\n3 x\n")
    graph = pl.Graph()
    with pytest.raises(ValueError, match="2:3|line 2"):
        pl.stream(tmp_path / "wrong.txt", graph, batch=1)
    assert graph.number_of_edges() == 1
    with pytest.raises(ValueError, match="columns"):
        pl.stream(io.StringIO("1 2"), graph, columns="shoes")


@pytest.mark.parametrize("raised", [KeyboardInterrupt, LookupError])
def test_what_a_file_raises_is_raised(raised):
    class Broken:
        def read(self, size=-1):
            raise raised("gone")

    with pytest.raises(raised, match="gone"):
        pl.stream(Broken(), pl.Graph())


def test_changes():
    graph = pl.Graph(weighted=True)
    changes = [("insert", "a", "b", 2.0), ("+", "b", "c"), ("u", "a", "b", 5.0), ("-", "b", "c")]
    assert pl.stream(changes, graph, batch=1)["removed"] == 1
    assert graph.weight("a", "b") == 5 and not graph.has_edge("b", "c")
    with pytest.raises(ValueError, match="batch"):
        pl.stream([], graph, batch=0)
    with pytest.raises(TypeError, match="Graph"):
        pl.stream([], graph.snapshot())
    # Vertices may be called as actions are.
    edges = [("a", "b", 2.0), ("u", "d", 3.0), ("d", "a", 4.0)]
    for batch in (1, 3):
        graph = pl.Graph(weighted=True)
        assert pl.stream(edges, graph, batch=batch)["new"] == 3 and sorted(zip(*graph.edges(data=True))) == sorted(edges)


def test_actions_are_spelled_as_in_files():
    lines = [("+", 1, 2, 1.5), ("a", 2, 3, 2.5), ("u", 1, 2, 4.0), ("d", 2, 3, 1.0), ("-", 7, 8, 1.0)]
    ways = [
        lambda graph: pl.stream(io.StringIO("".join(f"{' '.join(map(str, line))}\n" for line in lines)), graph),
        lambda graph: pl.stream(lines, graph),
        lambda graph: graph.apply(*zip(*lines)),
    ]
    for way in ways:
        graph = pl.Graph(weighted=True, directed=True)
        done = way(graph)
        assert (done["absent"], graph.number_of_edges(), graph.weight(1, 2), 7 in graph) == (2, 1, 4.0, False)


@pytest.mark.parametrize("directed", [True, False])
def test_results_follow(directed):
    rng = np.random.default_rng(9)
    graph = pl.Graph(directed=directed, nodes=range(100))
    components, ranks = pl.follow(graph, "components"), pl.follow(graph, "pagerank", tol=1e-10)
    for step in range(25):
        src, dst = rng.integers(0, 100 + step, (2, 30))
        action = rng.choice(["insert", "delete"], 30, p=[0.6, 0.4])
        graph.apply(action, src, dst)
        if step % 7 == 3:
            graph.remove_node(int(src[0]))
        components.update(), ranks.update()
        assert components.snapshot.version == graph.version
        assert np.array_equal(components.values, graph.connected_components())
        assert components.count == graph.number_connected_components()
        np.testing.assert_allclose(ranks.values, graph.pagerank(tol=1e-12), atol=1e-8)
    with pytest.raises(ValueError, match="what"):
        pl.follow(graph, "shoes")


def test_versions_are_waited_for():
    graph = pl.Graph(directed=False)

    async def read():
        counts = []
        async for found in pl.follow(graph, "components").versions(0.001):
            counts.append((found.snapshot.version, found.count))
            if found.snapshot.version == 3:
                return counts

    async def write():
        for edge in [("a", "b"), ("c", "d"), ("b", "c")]:
            graph.add_edge(*edge)
            await asyncio.sleep(0.05)

    async def both():
        return (await asyncio.gather(read(), write()))[0]

    counts = asyncio.run(asyncio.wait_for(both(), 30))
    assert counts[-1] == (3, 1) and [version for version, _ in counts] == sorted({version for version, _ in counts})
