"""A plugin of pytest's that counts which of NetworkX's own tests ran through the backend, and holds the number to a floor."""

import functools
import os

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


def pytest_runtest_logstart(nodeid, location):
    current[:] = [nodeid]


def pytest_terminal_summary(terminalreporter):
    tests = set().union(*through.values()) if through else set()
    floor = int(os.environ.get("PLEACH_NX_FLOOR", "0"))
    if len(tests) < floor:
        terminalreporter.write_line(f"too few tests ran through the backend: {len(tests)}, and {floor} did before")
    terminalreporter.write_line(f"{len(tests)} tests ran through the backend, with {len(through)} of its functions")
    from pleach_graph_networkx._names import FUNCTIONS

    terminalreporter.write_line(f"not called: {', '.join(sorted(FUNCTIONS - through.keys())) or 'none'}")


def pytest_sessionfinish(session, exitstatus):
    floor = int(os.environ.get("PLEACH_NX_FLOOR", "0"))
    tests = set().union(*through.values()) if through else set()
    if len(tests) < floor and session.exitstatus == 0:
        session.exitstatus = 1
