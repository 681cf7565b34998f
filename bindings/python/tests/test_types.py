"""What type checkers see is what there is: the stubs of the algorithms are written by this file, and compared with the functions.

    PLEACH_STUBS=write python -m pytest bindings/python/tests/test_types.py
"""

import inspect
import os
import pathlib
import re
import site
import subprocess
import sys

import pytest

import pleach_graph as pl
from pleach_graph import algorithms

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "python/pleach_graph"

HEAD = """# Written by tests/test_types.py.

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Literal, NamedTuple, overload

import numpy as np
"""

CLASSES = """
__all__: list[str]

def frame(graph: Any, **columns: Any) -> Any: ...

class NotConverged(ArithmeticError): ...
class CycleError(ValueError): ...

class Search(NamedTuple):
    distance: np.ndarray
    predecessor: np.ndarray

class Hits(NamedTuple):
    hubs: np.ndarray
    authorities: np.ndarray

class Paths(NamedTuple):
    distance: np.ndarray
    predecessor: np.ndarray
    nodes: np.ndarray
    def to(self, position: int) -> list[Any]: ...

"""


def declared(name, function, first):
    """The declarations of a function, whose first parameter is called so."""
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())
    texts = [f"{each.name}: Any" if each.annotation is each.empty else str(each).replace("'", "") for each in parameters]
    texts[0] = first
    named = next((at for at, each in enumerate(parameters) if each.kind == each.KEYWORD_ONLY), None)
    if named is not None:
        texts.insert(named, "*")
    result = str(signature.return_annotation)
    if "as_frame" not in signature.parameters:
        return [f"def {name}({', '.join(texts)}) -> {result}: ..."]
    option = texts.index("as_frame: bool = False")
    lines = []
    for value, found in ((" Literal[False] = False", result), (" Literal[True]", "Any")):
        lines += ["@overload", f"def {name}({', '.join([*texts[:option], 'as_frame:' + value, *texts[option + 1:]])}) -> {found}: ..."]
    return lines


def stubs():
    """The text of each stub, by its name."""
    names = sorted(algorithms.__all__)
    functions = [line for name in names for line in declared(name, getattr(algorithms, name), "graph: Any")]
    methods = [line for name in names for line in declared(name, getattr(algorithms, name), "self")]
    classes = CLASSES.replace("__all__: list[str]", "__all__ = [\n" + "".join(f'    "{name}",\n' for name in names) + "]")
    yield "algorithms.pyi", HEAD + classes + "\n".join(functions) + "\n"
    head = HEAD.replace(", NamedTuple", "") + "\nfrom .algorithms import Hits, Paths, Search\n"
    yield "_methods.pyi", head + "\nclass Methods:\n" + "".join(f"    {line}\n" for line in methods)


@pytest.mark.parametrize(("name", "text"), list(stubs()))
def test_stubs_are_those_of_the_functions(name, text):
    if os.environ.get("PLEACH_STUBS") == "write":
        (SOURCES / name).write_text(text, encoding="utf-8")
    assert (SOURCES / name).read_text(encoding="utf-8") == text
    # Both have all algorithms, and nothing that is not there.
    assert set(re.findall(r"def (\w+)\(", text)) - {"frame", "to"} == set(algorithms.__all__)


def test_signatures_say_what_is_taken():
    assert list(inspect.signature(pl.Graph.neighbors).parameters) == ["self", "vertex"]
    assert "as_frame" in inspect.signature(pl.pagerank).parameters
    for kind in (pl.Graph, pl.Snapshot):
        for name, member in inspect.getmembers(kind, inspect.isfunction):
            if not name.startswith("_"):
                kinds = {parameter.kind for parameter in inspect.signature(member).parameters.values()}
                assert inspect.Parameter.VAR_POSITIONAL not in kinds, name


PROGRAM = """
import numpy as np
import pleach_graph as pl

graph = pl.Graph([(0, 1)])
snapshot: pl.Snapshot = graph.snapshot()
for readable in (graph, snapshot):
    total: float = readable.pagerank(0.9, tol=1e-8, threads=1).sum() + pl.pagerank(readable).sum()
    names: list[int] = readable.neighbors(0).tolist() + readable.nodes.tolist()
    number: int = readable.version + readable.number_of_nodes() + int(readable.degree(0))
    distance: np.ndarray = readable.bfs(0).distance
    matrix = readable.to_scipy()
frame = pl.connected_components(graph, as_frame=True)
count: int = graph.insert([1], [2])["new"]
hubs: np.ndarray = pl.hits(graph).hubs
y = pl.einsum("y(i) = A(i,j)", A=graph)
"""


def test_a_type_checker_finds_no_fault(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "program.py").write_text(PROGRAM)
    check = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache")]
    place = pathlib.Path(pl.__file__).resolve().parent.parent
    # Mypy finds an installed package by itself, and refuses to be told of its place.
    environment = os.environ | ({} if str(place) in site.getsitepackages() else {"MYPYPATH": str(place)})
    # As an installed package is read: its own faults are not the program's.
    options = ["--follow-imports=silent"]
    done = subprocess.run([*check, *options, "program.py"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (tmp_path / "program.py").write_text(PROGRAM + "graph.pagerank(alhpa=1)\npl.no_such_function()\n")
    done = subprocess.run([*check, *options, "program.py"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert "alhpa" in done.stdout and "no_such_function" in done.stdout
