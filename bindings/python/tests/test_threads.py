"""Many threads, interrupts and forks."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import pleach_graph as pl

SECONDS = float(os.environ.get("PLEACH_SOAK_SECONDS", "2"))


def test_sixteen_threads_on_one_graph():
    graph = pl.Graph(directed=False)
    end = time.monotonic() + SECONDS
    failures, batches = [], []

    def write(seed):
        rng = np.random.default_rng(seed)
        count = 0
        while time.monotonic() < end:
            ends = rng.integers(0, 200, (2, 50))
            graph.insert([f"{seed}:{u}" for u in ends[0]], [f"{seed}:{v}" for v in ends[1]])
            graph.delete([f"{seed}:{ends[0][0]}"], [f"{seed}:{ends[1][0]}"])
            count += 2
        batches.append(count)

    def read():
        while time.monotonic() < end:
            snapshot = graph.snapshot()
            size = len(snapshot)
            assert snapshot.pagerank(max_iter=10**4).size == size == len(list(snapshot)) == snapshot.nodes.size
            assert snapshot.degree().sum() == 2 * snapshot.number_of_edges()
            labels = snapshot.connected_components(threads=1)
            assert labels.size == size and labels.max(initial=-1) + 1 == snapshot.number_connected_components()

    def guarded(work, *args):
        try:
            work(*args)
        except BaseException as error:  # noqa: BLE001
            failures.append(repr(error))

    threads = [threading.Thread(target=guarded, args=(write, seed)) for seed in range(8)]
    threads += [threading.Thread(target=guarded, args=(read,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert graph.version == sum(batches)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no such signals")
def test_a_batch_that_a_signal_interrupts_keeps_its_ids():
    class Late(Exception):
        pass

    def late(*_):
        raise Late

    count = 100_000
    src, dst = [f"u{k}" for k in range(count)], [f"v{k}" for k in range(count)]
    before = signal.signal(signal.SIGALRM, late)
    interrupted = 0
    try:
        for attempt in range(12):
            graph = pl.Graph()
            signal.setitimer(signal.ITIMER_REAL, 0.005 + 0.02 * attempt)
            try:
                graph.insert(src, dst)
            except Late:
                interrupted += 1
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            landed = graph.number_of_edges() > 0
            graph.insert(["zoe"], ["adam"])
            assert graph.has_edge("zoe", "adam") and graph.out_degree("zoe") == 1
            assert graph.has_edge("u0", "v0") == landed and len(graph) == 2 + landed * 2 * count
    finally:
        signal.signal(signal.SIGALRM, before)
    assert interrupted


def test_the_number_of_threads():
    before = pl.get_threads()
    try:
        pl.set_threads(3)
        assert pl.get_threads() == 3
    finally:
        pl.set_threads(before)
    ranks = [pl.read("karate").pagerank(threads=threads) for threads in (1, 2, 5)]
    assert all(np.array_equal(ranks[0], other) for other in ranks)
    asked = [sys.executable, "-c", "import pleach_graph as pl; print(pl.get_threads())"]
    assert subprocess.run(asked, env=os.environ | {"PLEACH_THREADS": "7"}, capture_output=True, text=True).stdout == "7\n"


def test_the_interpreter_goes_on():
    graph = pl.read("grid:300x300")
    ticks, done = 0, threading.Event()
    worker = threading.Thread(target=lambda: (pl.betweenness_centrality(graph, k=20, threads=1), done.set()))
    worker.start()
    while not done.is_set():
        ticks += 1
        time.sleep(0.001)
    worker.join()
    assert ticks > 5


@pytest.mark.parametrize("call", [
    "graph.betweenness_centrality()", "graph.closeness_centrality()", "graph.diameter()", "weighted.closeness_centrality(distance=True)",
    "weighted.pagerank(weight=True, nstart={0: 1}, tol=1e-300, max_iter=10**9)",
])
def test_control_c_ends_a_computation(call):
    program = """
        import os, signal, threading, time
        import pleach_graph as pl
        # A process in the background starts with the signal ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        graph = pl.read("grid:300x300")
        weighted = pl.Graph(graph, weighted=True)
        at = []
        def interrupt():
            time.sleep(0.2)
            at.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=interrupt).start()
        try:
            # As often as it takes until the signal comes: a fast machine is done before.
            until = time.monotonic() + 60
            while time.monotonic() < until:
                CALL
            print("not interrupted")
        except KeyboardInterrupt:
            print("within a second" if time.monotonic() - at[0] < 1 else "too late", flush=True)
        # The threads give up, too, within two seconds.
        for attempt in range(4):
            before = time.process_time()
            time.sleep(0.5)
            idle = time.process_time() - before < 0.15
            if idle:
                break
        print("idle" if idle else "busy", flush=True)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program).replace('CALL', call)], capture_output=True, text=True, timeout=120)
    assert done.stdout == "within a second\nidle\n", done.stderr


def _in_child(graph, snapshot, answers):
    try:
        graph.insert([1], [0])
        answers.put("written")
    except RuntimeError as error:
        answers.put(str(error))
    answers.put(snapshot.pagerank().tolist())
    answers.put(pl.Graph([(0, 1), (1, 2)]).connected_components().tolist())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_after_a_fork():
    graph = pl.Graph([(0, 1), (1, 0)])
    snapshot = graph.snapshot()
    ranks = snapshot.pagerank()
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    child = context.Process(target=_in_child, args=(graph, snapshot, answers))
    child.start()
    said = [answers.get(timeout=60) for _ in range(3)]
    child.join(60)
    assert child.exitcode == 0
    assert "before the process was forked" in said[0] and said[1:] == [ranks.tolist(), [0, 0, 0]]
    assert graph.insert([1], [2])["new"] == 1


@pytest.mark.parametrize("what", ["components", "pagerank"])
def test_a_result_that_several_threads_follow(what):
    graph = pl.Graph((np.arange(2000), np.arange(2000) + 1), directed=False)
    following = pl.follow(graph, what)
    end, wrong = time.monotonic() + 1, []

    def follow(seed: int) -> None:
        random = np.random.default_rng(seed)
        try:
            while time.monotonic() < end:
                graph.insert(random.integers(0, 5000, 20), random.integers(0, 5000, 20))
                following.update()
                values = following.values
                # Vertices are only added.
                assert 2001 <= len(values) <= len(following.snapshot)
                assert what == "pagerank" or following.count > 0
        except Exception as error:  # noqa: BLE001
            wrong.append(error)

    threads = [threading.Thread(target=follow, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    following.update()
    if what == "components":
        assert following.count == pl.number_connected_components(graph)
    else:
        np.testing.assert_allclose(following.values, graph.pagerank(tol=1e-12), atol=1e-6)
