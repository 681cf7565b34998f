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
