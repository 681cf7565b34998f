"""A bar that shows how far something is, if tqdm is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from . import _pleach


class _Nothing:
    def update(self, count: int) -> None:
        """Shows nothing."""


@contextmanager
def bar(shown: bool, unit: str, total: int | None = None) -> Iterator[Any]:
    """Something to be told by `update` how much more is done."""
    try:
        if not shown:
            raise ImportError
        from tqdm.auto import tqdm
    except ImportError:
        yield _Nothing()
        return
    with tqdm(unit=unit, total=total) as found:
        yield found


@contextmanager
def watched(name: str) -> Iterator[None]:
    """Shows how far the algorithms are that this thread runs meanwhile. What begins anew, in another unit or a part, begins the bar anew."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield
        return
    with tqdm(desc=name, leave=True) as shown:

        def tell(unit: str, done: int, total: int | None) -> None:
            if (unit, total) != (shown.unit.strip(), shown.total) or done < shown.n:
                shown.unit = " " + unit
                shown.reset(total)
                # `reset` keeps a total that was known before.
                shown.total = total
            shown.update(done - shown.n)

        before = _pleach.watch(tell)
        try:
            yield
        finally:
            _pleach.watch(before)


@contextmanager
def parts(unit: str, total: int | None = None) -> Iterator[Callable[[], None]]:
    """For what runs an algorithm many times: the bar counts how often, by what is called after each."""
    watcher, done = _pleach.watch(None), 0

    def one() -> None:
        nonlocal done
        done += 1
        if watcher is not None:
            watcher(unit, done, total)

    try:
        yield one
    finally:
        _pleach.watch(watcher)
