"""What vertices are called, and which number each has."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

import numpy as np

from ._arrays import array_of, is_arrow, is_missing, objects, plain

#: The largest number of a vertex, and one more: one number marks gaps in stores.
MOST = 2**32 - 1


def _names(what: str, values) -> np.ndarray:
    """Ids as an array: of integers where they are some, else of objects. Booleans, floats and NaN are no integers."""
    if isinstance(values, (str, bytes)) or not isinstance(values, (np.ndarray, Iterable)):
        raise TypeError(f"{what} must be an array or a sequence of vertices, not {type(values).__name__}")
    array = array_of(what, values) if isinstance(values, np.ndarray) or is_arrow(values) else _of_list(list(values))
    if array.ndim != 1:
        raise ValueError(f"{what} must have one dimension, not {array.ndim}")
    if array.dtype.kind == "f":
        raise TypeError(f"{what} has the dtype {array.dtype}: vertices are integers or other hashable objects, not floats")
    if array.dtype.kind in "mM":
        # Python has no times as exact as NumPy's, and would make integers of them.
        array = objects(list(array))
    if array.dtype == np.uint64:
        # Mixed with signed integers they would become floats.
        small = not array.size or array.max() <= np.iinfo(np.int64).max
        array = array.astype(np.int64 if small else object)
    return array


def _of_list(values: list) -> np.ndarray:
    if all(isinstance(value, (int, np.integer)) and not isinstance(value, bool) for value in values):
        try:
            return np.asarray(values, dtype=np.int64)
        except OverflowError:
            pass
    return objects(values)


class Ids:
    """A map from ids to numbers, which are given in the order in which ids come first, and back.

    While `identity` holds, an id is its number. It ends with the first id that is not an integer. An integer that is negative or too large is an
    error if the user said that ids are numbers. If they were only `found` to be numbers, an integer beyond the `limit` ends the identity, too.
    Any thread may read; ids are added by one thread at a time.
    """

    def __init__(self, identity: bool, found: bool = False) -> None:
        # None while an id is its number. Whoever reads looks at it once, and so sees one state or the other.
        self._names: list | None = None if identity else []
        self._numbers: dict[Hashable, int] = {}
        self._found = found
        #: The numbers of vertices are below it.
        self.limit = MOST

    @classmethod
    def of(cls, names: Iterable[Hashable]) -> "Ids":
        """The ids in this order."""
        ids = cls(identity=False)
        ids._names = list(names)
        ids._numbers = {name: number for number, name in enumerate(ids._names)}
        if len(ids._numbers) != len(ids._names):
            raise ValueError("nodes names a vertex twice")
        return ids

    @property
    def identity(self) -> bool:
        """Whether ids are numbers."""
        return self._names is None

    def __len__(self) -> int:
        return len(self._names or ())

    def name(self, number: int):
        """The id of a number."""
        names = self._names
        return number if names is None else names[number]

    def names(self, numbers: np.ndarray | None, rows: int) -> np.ndarray:
        """The ids of numbers, or of all below `rows`: an array of integers if they all are."""
        if self._names is None:
            return np.arange(rows, dtype=np.int64) if numbers is None else numbers.astype(np.int64)
        names = self.list(numbers, rows)
        return _of_list(names) if names else np.empty(0, dtype=np.int64)

    def list(self, numbers: np.ndarray | None, rows: int) -> list:
        """The ids of numbers, as they were given."""
        names = self._names
        if names is None:
            return list(range(rows)) if numbers is None else numbers.tolist()
        return names[:rows] if numbers is None else [names[number] for number in numbers.tolist()]

    def number(self, name: Hashable) -> int | None:
        """The number of an id, if it has one."""
        if self._names is None:
            hash(name)
            integer = isinstance(name, (int, np.integer)) and not isinstance(name, bool)
            return int(name) if integer and 0 <= name < self.limit else None
        return self._numbers.get(name)

    def found(self, what: str, values) -> np.ndarray:
        """The numbers of ids, and `MOST`, which no vertex has, for those that are none."""
        array = _names(what, values)
        if self._names is None and array.dtype.kind in "iu":
            return np.where((array >= 0) & (array < self.limit), array, MOST).astype(np.uint32)
        distinct, inverse = _distinct(array)
        try:
            found = [self.number(name) for name in distinct]
        except TypeError as error:
            raise TypeError(f"{what} holds a vertex that is not hashable: {error}") from None
        numbers = np.array([MOST if number is None else number for number in found], dtype=np.uint32)
        return numbers if inverse is None else numbers[inverse]

    def numbers(self, what: str, values, *, add: Callable[[], int] | None = None) -> np.ndarray:
        """The numbers of ids.

        With `add`, which says how many rows there are, new ids get new numbers. Without it an unknown id is an error.
        """
        array = _names(what, values)
        if self._names is None:
            if array.dtype.kind in "iu":
                most = self.limit if self._found and add is not None else MOST
                if not array.size or (array.min() >= 0 and array.max() < most):
                    return plain(array, np.uint32)
                if add is None or not self._found:
                    wrong = array.min() if array.min() < 0 else array.max()
                    raise ValueError(f"{what} holds {wrong}, which is no vertex number: these are 0 to {MOST - 1}")
            if array.size == 0:
                return np.empty(0, dtype=np.uint32)
            if add is None:
                raise KeyError(f"{what} names {array[0]!r}, which is no vertex of this graph")
            self._end_identity(add())
        distinct, inverse = _distinct(array)
        try:
            found = [self._numbers.get(name, -1) for name in distinct]
        except TypeError as error:
            raise TypeError(f"{what} holds a vertex that is not hashable: {error}") from None
        if -1 in found:
            unknown = distinct[found.index(-1)]
            if add is None:
                raise KeyError(f"{what} names {unknown!r}, which is no vertex of this graph")
            found = self._add(what, distinct)
        numbers = np.asarray(found, dtype=np.uint32)
        return numbers if inverse is None else numbers[inverse]

    def _end_identity(self, rows: int) -> None:
        names = list(range(rows))
        self._numbers = {name: name for name in names}
        self._names = names

    def _add(self, what: str, names: list) -> list[int]:
        found = []
        for name in names:
            number = self._numbers.get(name)
            if number is None:
                if is_missing(name):
                    raise ValueError(f"{what} holds {name!r}, which cannot name a vertex")
                number = len(self._names)
                self._names.append(name)
                self._numbers[name] = number
            found.append(number)
        return found

    def mark(self) -> int | None:
        """What `restore` takes to forget the ids that are added from now on."""
        return None if self._names is None else len(self._names)

    def restore(self, mark: int | None) -> None:
        """Forgets the ids that were added since."""
        if mark is None:
            self._names = None
            return
        for name in self._names[mark:]:
            # A signal may have come between the two.
            self._numbers.pop(name, None)
        del self._names[mark:]


def _distinct(array: np.ndarray) -> tuple[list, np.ndarray | None]:
    """The distinct ids in the order in which they come first, and where each element is among them."""
    if array.dtype.kind in "iu" and array.size > 64:
        values, first, inverse = np.unique(array, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        return values[order].tolist(), rank[inverse.reshape(-1)]
    return array.tolist(), None


def compact(src: np.ndarray, dst: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Numbers of integer ids, ascending by id, and the ids; ``None`` for these if they are their numbers already."""
    if src.size == 0:
        return src.astype(np.uint32), dst.astype(np.uint32), np.empty(0, dtype=np.int64)
    low, high = min(int(src.min()), int(dst.min())), max(int(src.max()), int(dst.max()))
    if low >= 0 and high < 16 * src.size + 1024:
        seen = np.zeros(high + 1, dtype=bool)
        seen[src] = True
        seen[dst] = True
        ids = np.flatnonzero(seen)
        if ids.size == high + 1:
            return src.astype(np.uint32), dst.astype(np.uint32), None
        number = np.cumsum(seen, dtype=np.uint32) - np.uint32(1)
        return number[src], number[dst], ids
    ids, inverse = np.unique(np.concatenate([src, dst]), return_inverse=True)
    inverse = inverse.reshape(-1).astype(np.uint32)
    return inverse[: src.size], inverse[src.size :], ids
