"""The launcher on a Dask cluster of this machine. `PLEACH` names the program."""

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'dask[distributed]'")

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pleach_dask.py")


@pytest.fixture
def pleach():
    program = os.environ.get("PLEACH")
    if not program:
        pytest.skip("PLEACH does not name the program")
    return os.path.abspath(program)


def start(pleach, *arguments, processes=2):
    command = [sys.executable, SCRIPT, "--pleach", pleach, "--processes", str(processes), "--", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def test_processes_on_dask_workers_find_what_one_process_finds(pleach, tmp_path):
    one, several = tmp_path / "one", tmp_path / "several"
    subprocess.run([pleach, "run", "pagerank", "rmat:8", "--iterations", "10", "--out", one], check=True, capture_output=True)
    done = start(pleach, "run", "pagerank", "rmat:8", "--iterations", "10", "--range", "16", "--out", str(several), "--json", processes=3)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert len(told["workers"]) == 3 and all(worker["ghosts"] > 0 for worker in told["workers"])
    read = lambda path: {int(line.split()[0]): float(line.split()[1]) for line in path.read_text().splitlines()}
    right, found = read(one), read(several)
    assert found.keys() == right.keys()
    assert all(abs(found[vertex] - right[vertex]) <= 1e-12 for vertex in right)


def test_streams_with_an_algorithm_use_two_ports(pleach, tmp_path):
    updates = tmp_path / "updates"
    updates.write_text("".join(f"{k} {k + 1}\n" for k in range(100)))
    stream = ["stream", "empty", "--updates", str(updates), "--undirected", "--batch", "30", "--app", "cc", "--every", "1", "--json"]
    done = start(pleach, *stream)
    assert done.returncode == 0, done.stderr
    results = [json.loads(line) for line in done.stdout.splitlines() if '"result"' in line]
    assert results[-1]["result"]["components"] == 1 and results[-1]["vertices"] == 101


def test_a_failure_is_reported(pleach):
    done = start(pleach, "run", "bfs", "karate", "--source", "99")
    assert done.returncode == 1
    assert "no vertex 99" in done.stderr
