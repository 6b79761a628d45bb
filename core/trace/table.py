"""What spans tell beside their times, each distinct row once: a step repeats the one before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.order import stable_order
from core.trace.columns import Column

TASK_DTYPE = np.dtype(
    [
        ("bytes", np.int64),
        ("after", np.int64),
        ("rows", np.int32),
        ("task", np.int32),
        ("microbatch", np.int32),
        ("name", np.int32),
        ("stage", np.int16),
        ("replica", np.int16),
        ("block", np.int16),
        ("bucket", np.int16),
        ("paired_stage", np.int16),
        ("paired_microbatch", np.int16),
        ("after_count", np.uint16),
        ("kind", np.int8),
        ("payload", np.int8),
    ]
)
"""What a span tells beside its times, 48 bytes. Absent numbers are -1; `kind` indexes KINDS and
`name` TaskTable.names; `after` is the first of `after_count` entries of TaskTable.after, the tasks
of the same step that the span waited for."""

_AFTER = TASK_DTYPE.fields["after"][1] // 8  # type: ignore[index]  # the word that it is
_MIX = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
_SLOTS = 1 << 10  # at first, of the rows that tasks had last, by the low bits of their numbers


class TaskTable:
    """The distinct rows (TASK_DTYPE) that the spans of a run have.

    A step that runs the same tasks as the one before adds nothing.
    """

    def __init__(self) -> None:
        self._rows, self._after = Column(TASK_DTYPE), Column(np.int32)
        self._keys, self._places = np.empty(0, np.uint64), np.empty(0, np.int32)
        self._key_of = Column(np.uint64)
        self._latest = np.zeros(_SLOTS, np.int32)
        self.names: list[str] = []
        self._name_places: dict[str, int] = {}

    @classmethod
    def of(cls, rows: NDArray[Any], after: NDArray[np.int32], names: Sequence[str]) -> TaskTable:
        """A table with the given rows, to be read only: what is added may repeat them."""
        table = cls()
        table._rows, table._after = Column.of(rows), Column.of(after)
        table._key_of.extend(np.zeros(len(rows), np.uint64))
        table.names = list(names)
        table._name_places = {name: place for place, name in enumerate(names)}
        return table

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def rows(self) -> NDArray[Any]:
        """All distinct rows."""
        return self._rows.view

    @property
    def after(self) -> NDArray[np.int32]:
        """What the rows' tasks waited for, one row behind the other."""
        return self._after.view

    def name(self, text: str) -> int:
        """The number of a name, which is noted if it is new."""
        place = self._name_places.setdefault(text, len(self.names))
        if place == len(self.names):
            self.names.append(text)
        return place

    def places(self, rows: NDArray[Any], after: NDArray[np.int32]) -> NDArray[np.int32]:
        """Where each of n `rows` stands in the table, to which new ones are added.

        `after` has the `after_count` entries of each row, one row behind the other; the rows'
        own `after` is not read.
        """
        counts = rows["after_count"].astype(np.int64)
        firsts = np.cumsum(counts) - counts
        keys = _keys(rows, after, firsts, counts)
        places, known = self._look_up(keys, rows["task"])
        if not known.all():
            fresh = np.flatnonzero(~known)
            _, first = np.unique(keys[fresh], return_index=True)
            chosen = fresh[np.sort(first)]
            self._add(rows[chosen], keys[chosen], _gathered(after, firsts[chosen], counts[chosen]))
            places, _ = self._look_up(keys, rows["task"])
        differ = ~_same(self.rows, places, rows)
        if differ.any():  # two rows of one key: the second is kept again for each of its spans
            places = places.copy()
            odd = np.flatnonzero(differ)
            places[odd] = len(self) + np.arange(len(odd), dtype=np.int32)
            self._append(rows[odd], keys[odd], _gathered(after, firsts[odd], counts[odd]))
        return places

    def _look_up(
        self, keys: NDArray[np.uint64], tasks: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """Where the rows of these keys stand, and whether they do; tasks mostly do as they did."""
        slots = tasks & (len(self._latest) - 1)
        places = self._latest[slots]
        if not len(self._keys):
            return places, np.zeros(len(keys), np.bool_)
        known = self._key_of.view[places] == keys
        left = np.flatnonzero(~known)
        if len(left):
            at = np.minimum(np.searchsorted(self._keys, keys[left]), len(self._keys) - 1)
            known[left] = self._keys[at] == keys[left]
            places[left] = self._places[at]
            self._latest[slots[left]] = np.where(known[left], places[left], 0)
        return places, known

    def _add(self, rows: NDArray[Any], keys: NDArray[np.uint64], after: NDArray[np.int32]) -> None:
        places = np.arange(len(self), len(self) + len(rows), dtype=np.int32)
        self._append(rows, keys, after)
        all_keys = np.concatenate([self._keys, keys])
        order = stable_order(all_keys)
        self._keys, self._places = (
            all_keys[order],
            np.concatenate([self._places, places])[order],
        )

    def _append(
        self, rows: NDArray[Any], keys: NDArray[np.uint64], after: NDArray[np.int32]
    ) -> None:
        counts = rows["after_count"].astype(np.int64)
        own = rows.copy()
        own["after"] = len(self._after) + np.cumsum(counts) - counts
        self._rows.extend(own)
        self._key_of.extend(keys)
        while len(self._latest) < len(self._rows):
            self._latest = np.zeros(4 * len(self._latest), np.int32)
        self._after.extend(after)


def _keys(
    rows: NDArray[Any], after: NDArray[np.int32], firsts: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> NDArray[np.uint64]:  # fmt: skip
    """A number of 64 bits for each row, from all that it tells and what it waited for."""
    words = _words(rows)
    keys = np.zeros(len(rows), np.uint64)
    for column in range(words.shape[1]):
        keys = _mixed(keys ^ (_waits(after, firsts, counts) if column == _AFTER
                              else words[:, column]))  # fmt: skip
    return keys


def _waits(
    after: NDArray[np.int32], firsts: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """One number for what each row waited for, in its order."""
    turn = np.arange(len(after)) - np.repeat(firsts, counts)
    each = _mixed(after.astype(np.uint64) + (turn.astype(np.uint64) << np.uint64(32)))
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(each, dtype=np.uint64)])
    told: NDArray[np.uint64] = sums[firsts + counts] - sums[firsts]
    return told


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread every bit over the word (a multiply and a shift, twice)."""
    values = values * _MIX
    values = (values ^ (values >> _SHIFT)) * _MIX
    return values ^ (values >> _SHIFT)


def _gathered(
    after: NDArray[np.int32], firsts: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.int32]:
    """The entries of some rows, one row behind the other."""
    before = np.cumsum(counts) - counts
    where = np.repeat(firsts - before, counts) + np.arange(int(counts.sum()))
    return after[where]


def _same(known: NDArray[Any], places: NDArray[np.int32], rows: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether rows are those that stand at `places`, in all but where their `after` stands."""
    same: NDArray[np.bool_] = _words(known)[places] == _words(rows)
    same[:, _AFTER] = True
    alike: NDArray[np.bool_] = np.asarray(same.all(axis=1))
    return alike


def _words(rows: NDArray[Any]) -> NDArray[np.uint64]:
    """Rows as words of 64 bits, a column for each of a row's six."""
    width = TASK_DTYPE.itemsize // 8
    return np.ascontiguousarray(rows).view(np.uint64).reshape(len(rows), width)
