"""Changes take what a graph is made of, are whole or not at all, and come from many threads."""

import threading

import numpy as np
import pytest

import pleach_graph as pl


def edges(graph, data=False):
    return sorted(zip(*(column.tolist() for column in graph.edges(data=data))))


def sources():
    """Pairs of what is passed, and the edges that it is."""
    yield (np.array([0, 1]), np.array([5, 6])), [(0, 5), (1, 6)]
    yield ([0, 1], [5, 6], [2.0, 3.0]), [(0, 5), (1, 6)]
    yield [(0, 5), (1, 6)], [(0, 5), (1, 6)]
    yield np.array([[0, 5], [1, 6]]), [(0, 5), (1, 6)]
    yield {"weight": [2.0, 3.0], "source": [0, 1], "target": [5, 6]}, [(0, 5), (1, 6)]
    yield {"weight": [2.0, 3.0], "dst": [5, 6], "src": [0, 1]}, [(0, 5), (1, 6)]
    yield pl.Graph([(0, 5), (1, 6)]), [(0, 5), (1, 6)]
    yield pl.Graph([(0, 5), (1, 6)]).snapshot(), [(0, 5), (1, 6)]
    try:
        import scipy.sparse

        yield scipy.sparse.csr_matrix(np.array([[0, 2.0], [3.0, 0]])), [(0, 1), (1, 0)]
    except ImportError:
        pass
    try:
        import networkx

        yield networkx.DiGraph([("a", "b"), ("b", "c")]), [("a", "b"), ("b", "c")]
    except ImportError:
        pass
    try:
        import pandas

        yield pandas.DataFrame({"weight": [2.0, 3.0], "source": [0, 1], "target": [5, 6]}), [(0, 5), (1, 6)]
    except ImportError:
        pass


def test_edges_without_direction_are_two_in_a_directed_graph():
    other = pl.Graph([(0, 1), (1, 2), (2, 2)], directed=False)
    sources = [other, other.snapshot()]
    try:
        import networkx

        sources.append(networkx.Graph([(0, 1), (1, 2), (2, 2)]))
    except ImportError:
        pass
    for source in sources:
        graph = pl.Graph(directed=True)
        assert graph.insert(source)["new"] == 5
        assert edges(graph) == edges(pl.Graph(source, directed=True)) == [(0, 1), (1, 0), (1, 2), (2, 1), (2, 2)]
        assert graph.apply(["delete"] * 5, source)["removed"] == 5
        assert graph.insert(source)["new"] == 5 and graph.delete(source)["removed"] == 5
        if not isinstance(source, (pl.Graph, pl.Snapshot)):
            assert pl.stream(source, graph)["new"] == 5


@pytest.mark.parametrize("weighted", [True, False])
def test_changes_take_what_a_graph_is_made_of(weighted):
    for data, expected in sources():
        explicit = isinstance(data, tuple) and len(data) == 3
        made = pl.Graph(data, weighted=weighted)
        assert edges(made) == expected, data
        graph = pl.Graph(weighted=weighted)
        if explicit and not weighted:
            with pytest.raises(ValueError, match="weight is given"):
                graph.insert(data)
            continue
        assert graph.insert(data)["new"] == 2
        assert edges(graph, data=True) == edges(made, data=True), data
        assert graph.apply(["insert", "delete"], data)["removed"] == 1
        assert graph.delete(data)["removed"] == 1 and graph.number_of_edges() == 0
        if not isinstance(data, (np.ndarray, tuple, list, pl.Graph, pl.Snapshot)) and pl._sources.is_frame(data):
            assert pl.stream(data, graph)["new"] == 2 and edges(graph) == expected


def test_columns_are_those_of_frames():
    graph = pl.Graph()
    with pytest.raises(TypeError, match="columns"):
        graph.insert([0], [1], columns=["a", "b"])
    with pytest.raises(TypeError, match="columns"):
        pl.Graph([(0, 1)], columns=["a", "b"])


def graphs_of_ids():
    """Graphs whose ids are declared to be numbers, are found to be numbers, are integers of a list, and are names."""
    numbers = np.arange(100)
    yield pl.Graph((numbers, numbers + 1), num_vertices=101, max_vertices=200)
    yield pl.Graph((numbers, numbers + 1))
    yield pl.Graph([(k, k + 1) for k in range(10)])
    yield pl.Graph([("a", "b"), ("b", "c")], directed=False)


UNKNOWN = [(150, 160), (150, 0), (2**30, 1), (2**32 - 1, 2**40), (-1, 0), ("nobody", "b"), ("b", "nobody"), (("t", 1), ("t", 2))]


@pytest.mark.parametrize("which", range(4))
def test_edges_at_ids_that_are_no_vertices_are_absent(which):
    graph = list(graphs_of_ids())[which]
    names, rows, version = list(graph), graph.snapshot()._core.num_rows, graph.version
    for u, v in UNKNOWN:
        for done in (graph.delete([u, u], [v, v]), graph.apply(["delete", "-"], [u, u], [v, v])):
            assert (done["absent"], done["merged"], done["removed"]) == (1, 1, 0), (u, v)
        with pytest.raises(KeyError, match="there is no edge"):
            graph.remove_edge(u, v)
        assert u in names or u not in graph
    assert list(graph) == names and graph.snapshot()._core.num_rows == rows and graph.version == version + 3 * len(UNKNOWN)
    assert graph._ids.identity == (which < 2) and len(graph._ids) in (0, len(names))


def test_only_edges_that_are_inserted_name_vertices():
    graph = pl.Graph([("a", "b", 1.0)], directed=False)
    actions = ["reweight", "delete", "delete", "insert", "insert", "delete"]
    done = graph.apply(actions, ["x", "y", "b", "n", "late", "late"], ["y", "x", "a", "m", "b", "b"])
    assert (done["new"], done["removed"], done["absent"], done["merged"]) == (1, 1, 2, 2)
    assert list(graph) == graph._ids._names == ["a", "b", "n", "late", "m"]
    numbers = np.arange(100)
    graph = pl.Graph((numbers, numbers + 1))
    # Names that are only deleted leave numbers what they are.
    graph.apply(["insert", "delete"], [5, "x"], [7, "y"])
    assert graph._ids.identity and graph.has_edge(5, 7)


@pytest.mark.parametrize("ids", ["none", "numbers", "names"])
def test_deletions_leave_no_ids_in_a_directory(tmp_path, ids):
    call = str if ids == "names" else int
    with pl.open(tmp_path / "graph", ids=ids) as graph:
        graph.insert([call(1)], [call(2)])
        before = list(graph)
        assert graph.apply(["delete"] * 2, [call(5), call(2**31)], [call(6), call(1)])["absent"] == 2
        assert graph.delete([call(5)], [call(1)])["absent"] == 1
    with pl.open(tmp_path / "graph", ids=ids) as graph:
        assert list(graph) == before and len(graph._ids) in (0, 2)


def test_a_failed_change_leaves_no_ids_behind():
    graph = pl.Graph([("a", "b")], max_vertices=3)
    with pytest.raises(ValueError, match="max_vertices"):
        graph.insert(["c", "d"], ["e", "f"])
    with pytest.raises(ValueError, match="None"):
        graph.insert(["g"], [None])
    with pytest.raises(ValueError, match="max_vertices"):
        graph.add_nodes(["h", "i"])
    assert list(graph) == ["a", "b"]
    assert graph.add_edge("b", "z") and list(graph) == ["a", "b", "z"]
    # Vertices that were numbers are numbers again.
    numbered = pl.Graph([(0, 1)], num_vertices=2, max_vertices=9)
    with pytest.raises(ValueError, match="None"):
        numbered.insert(["x"], [None])
    numbered.insert([1], [7])
    assert numbered.has_edge(1, 7) and numbered.neighbors(1).tolist() == [7] and numbered.position(7) == numbered.nodes.tolist().index(7)


def test_ids_cease_to_be_numbers_while_others_insert():
    for _ in range(60):
        graph = pl.Graph((np.arange(100), np.arange(100) + 1))
        start, known, failures = threading.Barrier(3), [], []

        def insert(pairs):
            start.wait()
            try:
                for u, v in pairs:
                    graph.insert(np.array([u]) if isinstance(u, int) else [u], [v])
                    known.append((u, v))
            except Exception as error:  # noqa: BLE001
                failures.append(error)

        pairs = [[(101 + k, 0) for k in range(20)], [("s", 5)], [("t", 5)]]
        threads = [threading.Thread(target=insert, args=(some,)) for some in pairs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures and len(known) == 22
        assert all(graph.has_edge(u, v) for u, v in known)
        assert len(list(graph)) == len(set(graph)) == 123
