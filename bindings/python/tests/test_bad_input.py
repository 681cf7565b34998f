"""What is not as it must be is refused by an exception of the right type that names the argument, and changes nothing."""

import numpy as np
import pytest

import pleach_graph as pl

ONE = np.array([0, 1])


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda g: pl.Graph((ONE, [0])), ValueError, "src and dst have 2 and 1"),
        (lambda g: pl.Graph((ONE, ONE, [1.0])), ValueError, "weight has 1 elements"),
        (lambda g: pl.Graph((ONE, ONE, [1.0, np.nan])), ValueError, "weight holds nan at 1"),
        (lambda g: pl.Graph((ONE, ONE, [np.inf, 1])), ValueError, "weight holds inf at 0"),
        (lambda g: pl.Graph((ONE, ONE, [2**1100, 1])), ValueError, "weight holds a number that no float holds"),
        (lambda g: pl.Graph([(0, 1, 2**1100)]), ValueError, "weight holds a number"),
        (lambda g: g.katz_centrality(beta={0: 1}), ValueError, "beta must have a number for each vertex, and has none for 1"),
        (lambda g: g.jaccard_coefficient(5), TypeError, "ebunch must be pairs"),
        (lambda g: g.jaccard_coefficient([5]), TypeError, "ebunch must be pairs"),
        (lambda g: g.jaccard_coefficient([(0, 1, 2)]), ValueError, "ebunch holds pairs"),
        (lambda g: pl.Graph((ONE, ONE, ["x", "y"])), TypeError, "weight has the dtype"),
        (lambda g: pl.Graph((ONE, ONE, [1j, 2j])), TypeError, "weight has the dtype"),
        (lambda g: pl.Graph((ONE.astype(float), ONE)), TypeError, "src has the dtype float64"),
        (lambda g: pl.Graph((ONE, ONE - 1), num_vertices=3), ValueError, "dst holds -1"),
        (lambda g: pl.Graph((ONE, ONE + 2), num_vertices=3), ValueError, "dst holds 3"),
        (lambda g: pl.Graph((["a"], ["b"]), num_vertices=3), TypeError, "src must hold integers"),
        (lambda g: pl.Graph(num_vertices=-1), ValueError, "num_vertices"),
        (lambda g: pl.Graph(num_vertices=2**40), ValueError, "num_vertices"),
        (lambda g: pl.Graph(num_vertices=2.5), TypeError, "num_vertices"),
        (lambda g: pl.Graph(nodes=["a", "a"]), ValueError, "nodes names a vertex twice"),
        (lambda g: pl.Graph(nodes=["a"], num_vertices=1), TypeError, "exclude"),
        (lambda g: pl.Graph((ONE.reshape(1, 2), ONE)), ValueError, "src must have one dimension"),
        (lambda g: pl.Graph(np.zeros((2, 4), dtype=int)), ValueError, "data has the shape"),
        (lambda g: pl.Graph(np.array([[0.5, 1]])), TypeError, "data holds vertices"),
        (lambda g: pl.Graph([(0, 1, 2, 3)]), ValueError, "an edge is"),
        (lambda g: pl.Graph([([], 1)]), TypeError, "not hashable"),
        (lambda g: pl.Graph([(None, 1)]), ValueError, "None"),
        (lambda g: pl.Graph([(float("nan"), "a")]), ValueError, "nan"),
        (lambda g: pl.Graph(5), TypeError, "data is a int"),
        (lambda g: pl.Graph("karate"), TypeError, "read"),
        (lambda g: pl.Graph({"src": [1]}), ValueError, "two columns"),
        (lambda g: pl.Graph({"src": [1], "dst": [2]}, columns=["src", "to"]), KeyError, "'to'"),
        (lambda g: pl.Graph([(0, 1)], conflict="odd"), ValueError, "conflict"),
        (lambda g: pl.Graph([(0, 1)], store="shoe"), ValueError, "store"),
        (lambda g: pl.Graph([(0, 1)], store="csr"), ValueError, "csr"),
        (lambda g: pl.Graph([(0, 1)], threads=0), ValueError, "threads"),
        (lambda g: pl.Graph([(0, 1)], max_vertices=2**33), ValueError, "max_vertices"),
        (lambda g: g.insert([0], [2**32]), ValueError, "dst holds 4294967296"),
        (lambda g: g.insert([0], [-1]), ValueError, "dst holds -1"),
        (lambda g: g.insert([0], [10**9]), ValueError, "max_vertices"),
        (lambda g: g.insert([0, 1], [1]), ValueError, "src and dst"),
        (lambda g: g.insert([0], [1], [2.0]), ValueError, "weight is given"),
        (lambda g: g.insert([[]], [0]), TypeError, "not hashable"),
        (lambda g: g.insert([0], [2**32 - 2]), ValueError, "4294967294 is beyond the 67108864 vertices .* raise `max_vertices`"),
        (lambda g: g.delete([[]], [0]), TypeError, "src holds a vertex that is not hashable"),
        (lambda g: g.delete(ONE, ONE.astype(float)), TypeError, "dst has the dtype float64"),
        (lambda g: g.apply(["delete"], [0], [[]]), TypeError, "dst holds a vertex that is not hashable"),
        (lambda g: g.apply(["explode"], [0], [1]), ValueError, "action holds 'explode'"),
        (lambda g: g.apply(["="], [0], [1]), ValueError, "action holds '=': expected"),
        (lambda g: g.apply(["+", "u"], [0, 7], [1, 8]), ValueError, "action holds 'u', and the edges of this graph have no weights"),
        (lambda g: g.apply(["insert"], [0, 1], [1, 2]), ValueError, "action has 1"),
        (lambda g: g.neighbors("nobody"), KeyError, "nobody"),
        (lambda g: g.neighbors(77), KeyError, "77"),
        (lambda g: g.neighbors(-1), KeyError, "-1"),
        (lambda g: g.degree([0]), TypeError, "hashable"),
        (lambda g: g.bfs(99), KeyError, "source: 99"),
        (lambda g: g.pagerank(alpha=1.5), ValueError, "1.5"),
        (lambda g: g.pagerank(alpha="x"), TypeError, "alpha"),
        (lambda g: g.pagerank(tol=-1), ValueError, "tol must be positive"),
        (lambda g: g.pagerank(alpha=2), ValueError, "alpha must be"),
        (lambda g: g.pagerank(max_iter=2**70), ValueError, "max_iter must be"),
        (lambda g: g.k_hop([0], radius=2**70), ValueError, "radius must be"),
        (lambda g: g.k_hop(1), TypeError, "sources must be"),
        (lambda g: g.maximal_independent_set(seed=2**70), ValueError, "seed must be"),
        (lambda g: g.local_cluster(0, alpha=0), ValueError, "alpha must be"),
        (lambda g: g.local_cluster(0, epsilon=0), ValueError, "epsilon must be"),
        (lambda g: g.pagerank(personalization={1: -1.0}), ValueError, "personalization gives 1 the weight -1"),
        (lambda g: pl.pagerank([("a", "b")], personalization={"b": float("nan")}), ValueError, "gives 'b'"),
        (lambda g: g.pagerank(threads=-1), ValueError, "threads must be 1 to 1024, not -1"),
        (lambda g: g.pagerank(threads=2**70), ValueError, "threads must be 1 to 1024"),
        (lambda g: g.bfs(0, threads="2"), TypeError, "threads must be an integer, not str"),
        (lambda g: g.connected_components(threads=1.5), TypeError, "threads must be an integer, not float"),
        (lambda g: pl.set_threads(-1), ValueError, "threads must be"),
        (lambda g: pl.set_threads("2"), TypeError, "threads must be an integer"),
        (lambda g: pl.Graph([(0, 1)], max_vertices=-1), ValueError, "max_vertices must be"),
        (lambda g: pl.Graph([(0, 1)], max_vertices=2.5), TypeError, "max_vertices must be an integer"),
        (lambda g: pl.Graph(nodes=3), TypeError, "nodes must be"),
        (lambda g: pl.Graph(nodes=["a", None]), ValueError, "nodes holds None"),
        (lambda g: pl.Graph(nodes=["a", float("nan")]), ValueError, "nodes holds nan"),
        (lambda g: pl.Graph([(0, 1)], max_vertices=1), ValueError, "2 vertices are more than the 1 .* raise `max_vertices`"),
        (lambda g: pl.Graph(nodes=[[1]]), TypeError, "nodes holds a vertex that is not hashable"),
        (lambda g: pl.Graph([1, 2]), ValueError, "an edge is .* not 1"),
        (lambda g: pl.Graph((["a"], "b")), TypeError, "dst must be an array"),
        (lambda g: pl.Graph([("a", "b"), ("a", "b")], conflict="error"), ValueError, "edge from 'a' to 'b' is there twice"),
        (lambda g: pl.Graph([("a", "b")], conflict="error").insert(["a"], ["b"]), ValueError, "edge from 'a' to 'b' is there already"),
        (lambda g: pl.Graph(conflict="error").insert(["a"] * 2, ["b"] * 2), ValueError, "edge from 'a' to 'b' is inserted twice"),
        (lambda g: pl.compile("y(i) = A(i,j)", formats={"A": 1}), TypeError, "formats must map"),
        (lambda g: pl.einsum("y(i) = A(i,j)", formats=["csr"], A=np.eye(2)), TypeError, "formats must map"),
        (lambda g: pl.compile("y(i) = A(i,j)", out=3), TypeError, "out must be"),
        (lambda g: pl.compile("s=A(i,j)", out="csr"), ValueError, "`s` is a scalar, which has no format"),
        (lambda g: pl.einsum(" s += A(i,j)", out="csr", A=np.eye(2)), ValueError, "`s` is a scalar"),
        (lambda g: pl.compile("y(i) = x(i)", formats={"z": "dense"}), ValueError, "formats: .* no tensor `z`; it has y, x"),
        (lambda g: pl.read("/nope.mtx"), FileNotFoundError, "nope.mtx"),
        (lambda g: g.pagerank(max_iter=-1), ValueError, "max_iter"),
        (lambda g: g.pagerank(personalization={99: 1}), KeyError, "personalization: 99"),
        (lambda g: g.pagerank(personalization={0: -1}), ValueError, "personalization"),
        (lambda g: g.pagerank(personalization=[1]), TypeError, "personalization"),
        (lambda g: g.pagerank(max_iter=1), pl.NotConverged, "tol"),
        (lambda g: g.betweenness_centrality(k=0), ValueError, "k must be"),
        (lambda g: g.k_hop([0], radius=-1), ValueError, "radius"),
        (lambda g: g.local_cluster(0, alpha=2), ValueError, "2"),
        (lambda g: g.single_source_dijkstra_path_length(0, delta=-1), ValueError, "delta must be"),
        (lambda g: g.minimum_spanning_edges(), ValueError, "undirected"),
        (lambda g: pl.set_threads(0), ValueError, "threads"),
        (lambda g: pl.einsum("y(i) = A(i,j"), ValueError, "expression"),
        (lambda g: pl.einsum("y(i) = A(i,j) * x(j)", A=np.ones((2, 2)), x=[1, 2, 3]), ValueError, "x has 3 along j"),
        (lambda g: pl.einsum("y(i) = A(i,j) * x(j)", A=np.ones((2, 2, 2)), x=[1, 2]), ValueError, "A has 3 dimensions"),
        (lambda g: pl.einsum("y(i) = A(i,j) * x(j)", A=np.ones((2, 2))), ValueError, "x"),
        (
            lambda g: pl.einsum("s = A(i,j)", formats={"A": "(dense, singleton)"}, A=np.ones((2, 2))),
            ValueError,
            r"`A` does not fit its format: .* entry at \[0, 1\]",
        ),
        (lambda g: pl.einsum("s = x(i)", x=["a"]), TypeError, "x is a list"),
        (lambda g: pl.einsum("s = x(i)", x=[1], z=[1]), TypeError, "'z'"),
        (lambda g: pl.compile("y(i) = x(i)", formats={"z": "csr"}), ValueError, "formats"),
        (lambda g: pl.compile("y(i) = x(i)", formats={"x": "shoe"}), ValueError, "shoe"),
    ],
)
def test_is_refused(call, error, says):
    graph = pl.Graph([(0, 1), (1, 2)], num_vertices=3)
    before = graph.version
    with pytest.raises(error, match=says):
        call(graph)
    assert graph.number_of_edges() == 2 and len(graph) == 3
    assert graph.version == before


def sparse(data, indices, indptr, shape=(2, 2)):
    """A matrix whose arrays nobody has checked."""
    from scipy.sparse import csr_array

    matrix = csr_array(shape)
    matrix.data, matrix.indices, matrix.indptr = map(np.array, (data, indices, indptr))
    return matrix


@pytest.mark.parametrize(
    ("data", "indices", "indptr", "says"),
    [
        ([1.0], [7], [0, 1, 1], "data.indices holds 7"),
        ([1.0], [-1], [0, 1, 1], "data.indices holds -1"),
        ([1.0], [0], [0, 9, 9], "data.indptr ends at 9"),
        ([1.0], [0], [0, 1, 0], "data.indptr decreases after position 1"),
        ([1.0], [0], [0, 1], "data.indptr must have 3"),
        ([1.0], [0], [1, 1, 1], "the first of them 0"),
        ([np.nan], [0], [0, 1, 1], "data holds nan"),
    ],
)
def test_matrices_that_are_none(data, indices, indptr, says):
    pytest.importorskip("scipy")
    with pytest.raises(ValueError, match=says):
        pl.Graph(sparse(data, indices, indptr))
    with pytest.raises(ValueError):
        if "nan" in says:
            raise ValueError
        pl.einsum("s = A(i,j)", A=sparse(data, indices, indptr))


def test_a_graph_is_square():
    scipy = pytest.importorskip("scipy.sparse")
    with pytest.raises(ValueError, match="square"):
        pl.Graph(scipy.csr_array((2, 3)))
    with pytest.raises(TypeError, match="complex"):
        pl.Graph(scipy.csr_array(np.array([[1j]])))


def test_arguments_that_a_source_does_not_take():
    scipy = pytest.importorskip("scipy.sparse")
    matrix = scipy.csr_array((2, 2))
    for call, error, says in [
        (lambda: pl.Graph(matrix, nodes=["a"]), ValueError, "nodes names 1 vertices"),
        (lambda: pl.Graph(matrix, num_vertices=2), TypeError, "num_vertices"),
        (lambda: pl.Graph(pl.Graph([(0, 1)]), nodes=["a"]), TypeError, "nodes"),
        (lambda: pl.Graph(pl.Graph([(0, 1)]), num_vertices=7), TypeError, "num_vertices"),
        (lambda: pl.Graph(scipy.coo_array(np.ones(3))), ValueError, "data has the shape 3"),
        (lambda: pl.Graph(scipy.coo_array((2**33, 2**33))), ValueError, "data has 8589934592 rows"),
    ]:
        with pytest.raises(error, match=says):
            call()
    networkx = pytest.importorskip("networkx")
    for name, value in (("nodes", ["a"]), ("num_vertices", 9)):
        with pytest.raises(TypeError, match=name):
            pl.Graph(networkx.path_graph(3), **{name: value})


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("indices", np.array([0.0, 1.0])),
        ("indices", [0, 1]),
        ("indptr", np.array([0.0, 1.0, 2.0])),
        ("data", None),
        ("data", np.ones((2, 2))),
        ("data", np.array(["a", "b"])),
    ],
)
def test_arrays_of_the_wrong_kind(part, value):
    scipy = pytest.importorskip("scipy.sparse")
    calls = [pl.Graph, lambda m: pl.einsum("s = A(i,j)", A=m), lambda m: pl.convert(m, "csc"), lambda m: pl.convert(m, "coo")]
    for call in calls:
        matrix = scipy.csr_array(np.eye(2))
        setattr(matrix, part, value)
        with pytest.raises(TypeError, match=rf"(data|A|matrix)\.{part} must be an array"):
            call(matrix)


def test_rows_that_are_not_there():
    scipy = pytest.importorskip("scipy.sparse")
    matrix = scipy.csr_array(np.eye(20))
    matrix._shape = (50, 20)
    for kind in ("csc", "coo", "dia", "dense", "bsr"):
        with pytest.raises(ValueError, match="matrix.indptr must have 51"):
            pl.convert(matrix, kind)


def test_masked_elements():
    masked = np.ma.array([1.0, 2.0], mask=[False, True])
    for call in [
        lambda: pl.einsum("s = x(i)", x=masked),
        lambda: pl.einsum("y(i) = A(i,j) * x(j)", A=np.eye(2), x=masked),
        lambda: pl.Graph((ONE, ONE, masked)),
        lambda: pl.Graph((np.ma.array([0, 1], mask=[True, False]), ONE)),
    ]:
        with pytest.raises(ValueError, match="masked"):
            call()
    scipy = pytest.importorskip("scipy.sparse")
    with pytest.raises(ValueError, match="x has masked"):
        pl.einsum("y(i) = A(i,j) * x(j)", A=scipy.csr_array(np.eye(2)), x=masked)


def test_a_column_with_nulls():
    pyarrow = pytest.importorskip("pyarrow")
    with pytest.raises(ValueError, match="dst holds nulls"):
        pl.Graph(pyarrow.table({"src": [1, 2], "dst": [None, 1]}))


def test_columns_of_frames_with_missing_ids():
    pandas = pytest.importorskip("pandas")
    for kind in ("string", "str", object):
        with pytest.raises(ValueError, match="dst.* holds .* cannot name a vertex"):
            pl.Graph(pandas.DataFrame({"src": ["a", "b"], "dst": pandas.array(["b", None], dtype=kind)}))


def test_ids_that_arrow_has_no_type_for():
    pytest.importorskip("pyarrow")
    for edge in [("a", 1), (frozenset({1}), frozenset({2}))]:
        with pytest.raises(TypeError, match="to_arrow"):
            pl.Graph([edge, edge[::-1]]).to_arrow()


def test_communities_of_any_numbers():
    karate = pl.read("karate")
    assert pl.modularity(karate, np.full(34, 2**40)) == pl.modularity(karate, np.zeros(34, dtype=int))


def test_vertices_that_are_none_warn_nobody():
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(TypeError, match="data holds vertices"):
            pl.Graph(np.array([[0.0, np.nan]]))


def test_negative_weights_have_no_shortest_paths():
    with pytest.raises(ValueError, match="not negative"):
        pl.single_source_dijkstra_path_length([(0, 1, -1.0)], 0)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo"])
@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dense", "lil", "bsr", "dok", "dia"])
def test_damaged_matrices_are_not_converted(kind, format):
    sparse = pytest.importorskip("scipy.sparse")
    whole = sparse.csr_array(np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]))
    for wrong in (99, -1):
        matrix = whole.asformat(kind).copy()
        place = matrix.coords[1] if kind == "coo" else matrix.indices
        place[0] = wrong
        if kind != format:
            with pytest.raises(ValueError, match="matrix"):
                pl.convert(matrix, format)
    if kind == "coo":
        return
    for name, damage in (("indptr", [0, 5, 3]), ("indptr", [0, 2]), ("indices", np.array([0.5, 1, 2]))):
        matrix = whole.asformat(kind).copy()
        setattr(matrix, name, np.array(damage, dtype=None if name == "indices" else np.int32))
        if kind != format:
            with pytest.raises((ValueError, TypeError), match="matrix"):
                pl.convert(matrix, format)
