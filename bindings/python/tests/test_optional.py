"""What works without the optional libraries, and what the message says where one is missing."""

import subprocess
import sys

import pytest

#: Makes an import fail as if the library were not installed.
WITHOUT = """
import sys
for name in ("scipy", "pyarrow", "networkx", "pandas"):
    sys.modules[name] = None
import numpy as np
import pleach_graph as pl
graph = pl.Graph([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
class Stream:
    def __arrow_c_stream__(self, requested_schema=None):
        raise AssertionError
"""


def run(program):
    return subprocess.run([sys.executable, "-c", WITHOUT + program], capture_output=True, text=True)


def test_triangles_need_nothing():
    done = run("print(pl.triangles(graph).tolist(), pl.transitivity(graph))")
    assert done.stdout == "[1, 1, 1, 0] 0.6\n", done.stderr


@pytest.mark.parametrize(
    ("call", "extra"),
    [
        ("graph.to_scipy()", "scipy"),
        ("pl.einsum('s = A(i,j)', A=graph)", "scipy"),
        ("pl.convert(np.eye(2), 'csr')", "scipy"),
        ("pl.einsum('C(i,j) = A(i,j)', A=np.eye(2), out='csr')", "scipy"),
        ("graph.to_arrow()", "arrow"),
        ("graph.to_networkx()", "networkx"),
        ("pl.Graph(Stream())", "arrow"),
        ("graph.insert(Stream())", "arrow"),
        ("pl.stream(Stream(), graph)", "arrow"),
    ],
)
def test_a_message_says_what_to_install(call, extra):
    done = run(f"try:\n    {call}\nexcept ImportError as error:\n    print(error)")
    assert f"pip install 'pleach-graph[{extra}]'" in done.stdout, done.stdout + done.stderr
