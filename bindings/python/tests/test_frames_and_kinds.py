"""Sources that people hand over and that are nearly, or not at all, what a graph takes."""

import warnings

import numpy as np
import pytest

import pleach_graph as pl


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: pl.Graph([(0, 1)], directed="yes"), TypeError, "directed must be True, False or None, not 'yes'"),
        (lambda: pl.Graph([(0, 1)], weighted="weight"), TypeError, "weighted must be"),
        (lambda: pl.read("karate", directed="no"), TypeError, "directed must be"),
        (lambda: pl.read(None), TypeError, "path must be a path, not NoneType"),
        (lambda: pl.open(3), TypeError, "directory must be a path, not int"),
        (lambda: pl.Graph({1: [2, 3], 2: [3]}), TypeError, "columns by their names, and not neighbours"),
        (lambda: pl.stream(None, pl.Graph()), TypeError, "source is a NoneType"),
        (lambda: pl.stream(["ab"], pl.Graph()), ValueError, "an edge is .* not 'ab'"),
        (lambda: pl.stream([None], pl.Graph()), ValueError, "an edge is .* not None"),
    ],
)
def test_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_arrays_with_named_columns():
    edges = np.array([(5, 7, 2.5), (7, 9, 1.0)], dtype=[("src", "i4"), ("dst", "i8"), ("weight", "f4")])
    graph = pl.Graph(edges)
    assert list(graph) == [5, 7, 9]
    assert graph.weighted and graph.edges(data=True)[2].tolist() == [2.5, 1.0]
    assert pl.Graph().insert(edges[["src", "dst"]])["new"] == 2


def test_columns_of_pandas():
    pandas = pytest.importorskip("pandas")
    missing = pandas.DataFrame({"src": pandas.array([1, None], dtype="Int64"), "dst": [1, 2]})
    with pytest.raises(ValueError, match="src holds missing values"):
        pl.Graph(missing)
    whole = missing.assign(src=pandas.array([2**60 + 1, 1], dtype="Int64"))
    assert list(pl.Graph(whole)) == [2**60 + 1, 1, 2]
    with pytest.raises(ValueError, match="columns of different names, not 'src', 'src'"):
        pl.Graph(pandas.DataFrame([[1, 2], [3, 4]], columns=["src", "src"]))


def test_lazy_frames_of_polars():
    polars = pytest.importorskip("polars")
    lazy = polars.DataFrame({"src": ["a", "b"], "dst": ["b", "c"], "weight": [1.0, 2.0]}).lazy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pl.Graph(lazy).number_of_edges() == 2
        graph = pl.Graph(weighted=True)
        assert pl.stream(lazy, graph)["new"] == 2
    assert graph.edges(data=True)[2].sum() == 3.0


def test_a_closed_graph_shows_itself(tmp_path):
    graph = pl.open(tmp_path / "graph")
    graph.close()
    assert "closed" in repr(graph) and str(tmp_path) in repr(graph)
    assert "closed" in graph._repr_html_()
