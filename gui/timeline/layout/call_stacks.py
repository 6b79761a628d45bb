"""Call stacks of host threads, which are folded below their lane until the user opens them.

In a profiler's trace they can have dozens of rows, and would push the device's streams off screen.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set

from core.plan.plan import Lane, Role
from gui.look.text import ntr
from gui.timeline.layout.groups import Section

_DEVICE, _HOST = "device", "host"
"""First words of `Lane.stream_of`: of a device's streams, and of a host's threads."""
FEW = 4
"""A thread with at most this many rows is not folded if the trace has no device."""
_KEY = "stack "


def call_stacks(lanes: Sequence[Lane], folded: Set[str]) -> Mapping[int, Section]:
    """Return the foldable call stacks of host threads, by the number of the thread's lane.

    Only profilers' traces have such threads. `folded` has the keys of everything that is folded.
    """
    has_device = any(_is_stream(lane) for lane in lanes)
    has_host = any(lane.stream_of == _HOST for lane in lanes)
    if not has_device and not has_host:
        return {}
    rows: dict[int, list[Lane]] = defaultdict(list)
    for lane in lanes:
        if lane.role is Role.NESTED and not _is_stream(lanes[lane.serves]):
            rows[lane.serves].append(lane)
    most_open = 0 if has_device else FEW
    stacks = {}
    for number, inside in rows.items():
        if len(inside) > most_open:
            key = f"{_KEY}{number}"
            name = ntr("call stack: {n} row", "call stack: {n} rows", len(inside))
            stacks[number] = Section(
                key, name, tuple(inside), folded=key in folded, is_call_stack=True
            )
    return stacks


def all_folded(lanes: Sequence[Lane]) -> frozenset[str]:
    """Return the keys of all call stacks, which are folded at first."""
    return frozenset(stack.key for stack in call_stacks(lanes, frozenset()).values())


def stack_keys(folded: Set[str]) -> frozenset[str]:
    """Return those of the `folded` keys that are keys of call stacks."""
    return frozenset(key for key in folded if key.startswith(_KEY))


def _is_stream(lane: Lane) -> bool:
    """Return True for a stream of a device."""
    return lane.stream_of.startswith(_DEVICE)
