"""What the machine has no memory for is refused, and does not end the process."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="addresses are not limited here")

#: Runs with six gigabytes of addresses.
LIMITED = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (6_000_000 * 1024, 6_000_000 * 1024))
import numpy as np, pleach_graph as pl
try:
    {}
except MemoryError as error:
    print("refused")
"""


def refused(call):
    done = subprocess.run([sys.executable, "-c", LIMITED.format(call)], capture_output=True, text=True)
    assert done.stdout == "refused\n", done.stderr


def test_too_many_vertices():
    refused("pl.Graph(num_vertices=2**32 - 1)")
    refused("pl.Graph((np.array([0]), np.array([2**31])), num_vertices=2**32 - 1)")


@pytest.mark.parametrize("format", ["csr", "dia"])
def test_too_many_rows(format):
    pytest.importorskip("scipy")
    sparse = "import scipy.sparse as sp; "
    entries = "sp.coo_array(([1.0, 1.0], ([0, 5], [1, 7])), shape=(2**31, 10**6))"
    refused(f"{sparse}pl.convert({entries}, {format!r})")
    refused(f"{sparse}pl.convert(sp.csr_array((2, 2**32 - 1)), 'csc')")
    refused(f"{sparse}pl.einsum('y(j) = A(i,j)', A=sp.csr_array((2, 2**32 - 1)))")
