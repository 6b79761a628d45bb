"""Traces in JSON with events that lack fields, have others' types, or are too many or too deep."""

from __future__ import annotations

import codecs
import gzip
import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from tests.fuzz.bombs import File
from tests.fuzz.mutations import VALUES

TIMES = (
    "ts",
    "dur",
    "time_created_ns",
    "time_discovered_started_ns",
    "duration_ms",
    "time_discovered_completed_ns",
)
IDS = ("id", "pid", "tid", "cat", "ph", "name", "correlation", "process_group", "profiling_name")
PHASES = ("X", "B", "E", "b", "e", "S", "F", "s", "t", "f", "i", "C", "M", "n", "?", "", 7, None)
NAMES = (
    "ProfilerStep#3",
    "ProfilerStep#999999999999",
    "step 2",
    "Optimizer.step#SGD.step",
    "ncclDevKernel_SendRecv",
    "ncclDevKernel_AllReduce",
    "Memcpy HtoD",
    "process_name",
    "thread_name",
    "iteration",
    "forward",
    "forward-compute",
    "backward-send",
    "x" * 70_000,
    "},{" * 50,
    '"},{"',
    "\\",
    "",
    "void a<b(c)>::d(e)",
)
CATEGORIES = (
    "kernel",
    "cuda_runtime",
    "gpu_user_annotation",
    "user_annotation",
    "cpu_op",
    "ac2g",
    "python_function",
    "KERNEL",
    "gpu_memcpy",
    "",
    None,
    5,
)
SEPARATORS = ((", ", ": "), (",", ":"), (" ,\n", " :\t"))
MOST_EVENTS = 20_000
Events = list[Any]


def made_document(documents: Sequence[bytes], key: str, suffix: str, random: Random) -> File:
    """Return a file in JSON, perhaps packed, whose list of events under `key` is changed."""
    document = json.loads(random.choice(documents))
    events = document if isinstance(document, list) else document[key]
    for _ in range(random.choice((1, 1, 2, 3))):
        events = random.choice(WAYS)(events, random)[:MOST_EVENTS]
    if isinstance(document, dict):
        document = {**document, key: events}
        if random.random() < 0.2:
            name = random.choice(list(document))
            if name != key:
                document[name] = random.choice(VALUES)
        if random.random() < 0.2:
            document = dict(sorted(document.items(), key=lambda _: random.random()))
    else:
        document = events
    text = json.dumps(document, separators=random.choice(SEPARATORS)).encode()
    return packed_text(written_text(text, random), suffix, random)


def written_text(text: bytes, random: Random) -> bytes:
    """The text as it is, or with an end, a beginning or an encoding of its own."""
    way = random.randrange(12)
    if way == 0:  # cut after a structural character
        places = [at for at in range(len(text)) if text[at : at + 1] in b',{}[]:"']
        return text[: random.choice(places) + random.choice((0, 1))]
    if way == 1:
        return codecs.BOM_UTF8 + text
    if way == 2:
        return text.decode().encode(random.choice(("utf-16", "utf-16-le", "utf-32")))
    if way == 3:
        return text + random.choice((b"]", b"}", b"\0" * 100, text, b",", b" " * 100_000))
    if way == 4:
        return text.replace(b"}, {", random.choice((b"}{", b"},,{", b"}  ,\n\n{", b"}\0{")), 1)
    if way == 5:
        return b" " * random.choice((1, 4000, 70_000, 2_000_000)) + text
    return text


def packed_text(text: bytes, suffix: str, random: Random) -> File:
    way = random.randrange(8)
    if way > 2:
        return suffix, text
    packed = gzip.compress(text, mtime=0)
    if way == 1:
        half = len(text) // 2
        packed = gzip.compress(text[:half], mtime=0) + gzip.compress(text[half:], mtime=0)
    if way == 2:
        packed = random.choice((packed[:-8], packed[:-4], packed + b"junk", packed + bytes(5000)))
    return f"{suffix}.gz", packed


def _some(events: Events, random: Random) -> list[int]:
    """The places of some of the events that are objects: of one, several, or all."""
    places = [place for place, event in enumerate(events) if isinstance(event, dict)]
    count = random.choice((1, 1, 5, len(places)))
    return random.sample(places, min(count, len(places)))


def _each(events: Events, random: Random, change: Callable[[dict[str, Any]], Any]) -> Events:
    """The events, of which some are changed."""
    changed = list(events)
    for place in _some(events, random):
        changed[place] = change(dict(events[place]))
    return changed


def _field(event: dict[str, Any], random: Random, names: Sequence[str] = ()) -> str:
    known = [name for name in names if name in event] or list(event) or ["ts"]
    return random.choice(known)


def _dropped(events: Events, random: Random) -> Events:
    def drop(event: dict[str, Any]) -> Any:
        event.pop(_field(event, random), None)
        return event

    return _each(events, random, drop)


def _retyped(events: Events, random: Random) -> Events:
    return _each(events, random, lambda e: {**e, _field(e, random): random.choice(VALUES)})


def _timed(events: Events, random: Random) -> Events:
    """Extreme and negative times, or the same for all."""
    value = random.choice((-1, 0, 1e-9, 4e15, -4e15, 1e18, 2**61, 2**63, "12", "x", None, 1e300))
    return _each(events, random, lambda e: {**e, _field(e, random, TIMES): value})


def _alike(events: Events, random: Random) -> Events:
    """The same id, thread, name or phase for several."""
    value = random.choice((1, "1", "", 2**64, None, 0.5))
    name = random.choice(IDS)
    return _each(events, random, lambda e: {**e, name: value})


def _phased(events: Events, random: Random) -> Events:
    return _each(events, random, lambda e: {**e, "ph": random.choice(PHASES)})


def _named(events: Events, random: Random) -> Events:
    name = random.choice(NAMES)
    return _each(events, random, lambda e: {**e, "name": name, "profiling_name": name})


def _categorised(events: Events, random: Random) -> Events:
    return _each(events, random, lambda e: {**e, "cat": random.choice(CATEGORIES)})


def _deep(events: Events, random: Random) -> Events:
    depth, inner = random.choice((3, 100, 900)), random.choice(VALUES)
    for _ in range(depth):
        inner = random.choice(([inner], {"a": inner}, [inner, {}]))
    return _each(events, random, lambda e: {**e, random.choice(("args", "x", "frames")): inner})


def _argued(events: Events, random: Random) -> Events:
    """Arguments that readers know, of any form."""
    names = (
        "name",
        "lane role",
        "correlation",
        "Process Group Name",
        "Collective name",
        "iteration",
        "microbatch",
        "model_chunk",
        "pp_rank",
        "step",
        "mb_id",
        "pp",
        "tp",
        "x",
    )

    def add(event: dict[str, Any]) -> Any:
        args = event.get("args")
        known = args if isinstance(args, dict) else {}
        value = random.choice((*VALUES, *range(5)))
        return {**event, "args": {**known, random.choice(names): value}}

    return _each(events, random, add)


def _counted(events: Events, random: Random) -> Events:
    """Counters, of any form, among the events."""
    values = ({"a": 1, "b": "2"}, {"a": None}, {}, [], 7, {"a": {"b": 1}}, {"a": 1e999})
    more = [
        {
            "ph": "C",
            "ts": random.choice((n, "x", -n, 1e15)),
            "pid": 7,
            "name": f"c{n % 3}",
            "args": random.choice(values),
            "id": random.choice((None, n, "a")),
        }
        for n in range(20)
    ]
    return [*events, *more]


def _arrows(events: Events, random: Random) -> Events:
    """Flows that begin twice, never end, lead back in time or to no thread."""
    more = [
        {
            "ph": random.choice("stf"),
            "id": random.choice((1, 2, "a", None)),
            "cat": "ac2g",
            "ts": random.choice((100 * n, -1, 6000 - n)),
            "pid": 7,
            "tid": random.choice((0, 1, 9)),
            "name": "flow",
        }
        for n in range(60)
    ]
    return [*events, *more]


def _repeated(events: Events, random: Random) -> Events:
    count = random.choice((2, 10, 100))
    begin = random.randrange(len(events) + 1)
    return events[:begin] + events[begin : begin + 100] * count + events[begin + 100 :]


def _mixed(events: Events, random: Random) -> Events:
    changed = list(events)
    random.shuffle(changed)
    return changed


def _others(events: Events, random: Random) -> Events:
    """Values that are no events among them."""
    changed = list(events)
    for _ in range(random.choice((1, 10, 1000))):
        changed.insert(random.randrange(len(changed) + 1), random.choice(VALUES))
    return changed


def _many_threads(events: Events, random: Random) -> Events:
    count = random.choice((50, 2000))
    return [*events, *({"ph": "X", "ts": n, "dur": 1, "tid": n} for n in range(count))]


def _nested_calls(events: Events, random: Random) -> Events:
    """Calls within calls, or calls that overlap, as deep as there are any."""
    count, shrink = random.choice((30, 1000)), random.choice((0, 1, 2))
    return [
        *events,
        *({"ph": "X", "ts": n, "dur": 2000 - shrink * n, "tid": 1} for n in range(count)),
    ]


def _long(events: Events, random: Random) -> Events:
    """Events that are longer than a piece."""
    text = random.choice(("x", "},{", '\\"', "[{")) * random.choice((1000, 400_000))
    field, value = random.choice((("name", text), ("args", {"a": text}), ("x", text)))
    places = [place for place, event in enumerate(events) if isinstance(event, dict)]
    changed = list(events)
    for place in random.sample(places, min(1, len(places))):
        changed[place] = {**events[place], field: value}
    return changed


def _fewer(events: Events, random: Random) -> Events:
    begin = random.randrange(len(events) + 1)
    return events[begin : begin + random.choice((0, 1, 2, 1000))]


Way = Callable[[Events, Random], Events]
WAYS: tuple[Way, ...] = (
    _dropped,
    _dropped,
    _retyped,
    _retyped,
    _timed,
    _timed,
    _alike,
    _phased,
    _named,
    _categorised,
    _deep,
    _argued,
    _argued,
    _counted,
    _arrows,
    _repeated,
    _mixed,
    _others,
    _many_threads,
    _nested_calls,
    _long,
    _fewer,
)
