"""A plugin of pytest's that counts which of NetworkX's own tests ran through the backend, and holds the number to a floor.

If pytest-xdist runs the tests in several processes, each hands its counts to the first one.
"""

import functools
import os

import pytest

through: dict[str, set[str]] = {}
current: list[str] = []


def pytest_configure(config):
    from pleach_graph_networkx._names import FUNCTIONS
    from pleach_graph_networkx.backend import Backend

    for name in FUNCTIONS:
        setattr(Backend, name, staticmethod(_counted(name, getattr(Backend, name))))


def _counted(name, function):
    @functools.wraps(function)
    def counted(*args, **kwargs):
        if current:
            through.setdefault(name, set()).add(current[-1])
        return function(*args, **kwargs)

    return counted


def _tests():
    return set().union(*through.values())


def pytest_runtest_logstart(nodeid, location):
    current[:] = [nodeid]


def pytest_terminal_summary(terminalreporter):
    tests = _tests()
    floor = int(os.environ.get("PLEACH_NX_FLOOR", "0"))
    if len(tests) < floor:
        terminalreporter.write_line(f"too few tests ran through the backend: {len(tests)}, and {floor} did before")
    terminalreporter.write_line(f"{len(tests)} tests ran through the backend, with {len(through)} of its functions")
    from pleach_graph_networkx._names import FUNCTIONS

    terminalreporter.write_line(f"not called: {', '.join(sorted(FUNCTIONS - through.keys())) or 'none'}")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    for name, tests in getattr(node, "workeroutput", {}).get("through", {}).items():
        through.setdefault(name, set()).update(tests)


def pytest_sessionfinish(session, exitstatus):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["through"] = {name: sorted(tests) for name, tests in through.items()}
        return
    floor = int(os.environ.get("PLEACH_NX_FLOOR", "0"))
    if len(_tests()) < floor and session.exitstatus == 0:
        session.exitstatus = 1
