"""A bar that shows how far something is, if tqdm is installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


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
