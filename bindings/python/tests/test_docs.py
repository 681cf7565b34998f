"""Everything public says what it takes, and has an example. `pytest --doctest-modules` runs the examples."""

import inspect
import re

import pytest

import pleach_graph as pl

PUBLIC = [name for name in pl.__all__ if not isinstance(getattr(pl, name), str)]


@pytest.mark.parametrize("name", PUBLIC)
def test_has_an_example(name):
    assert re.search(r">>> import .*pleach_graph as pl", getattr(pl, name).__doc__)


@pytest.mark.parametrize("name", [name for name in PUBLIC if inspect.isfunction(getattr(pl, name))])
def test_says_what_it_takes(name):
    function = getattr(pl, name)
    parameters = inspect.signature(function).parameters.values()
    # `algorithms` says of all at once what the graph and these are.
    known = {"graph", "threads", "progress", "as_frame"} if name in pl.algorithms.__all__ else set()
    text = re.search(r"Parameters\n    -+\n(.*?)(\n\n    \w+\n    -+|$)", function.__doc__, re.DOTALL)
    said = set(re.findall(r"\w+", " ".join(re.findall(r"^    ([*\w, ]+)(?: :|$)", text[1] if text else "", re.MULTILINE))))
    missing = {parameter.name for parameter in parameters} - said - known
    assert not missing
