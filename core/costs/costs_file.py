"""Costs as a small JSON or TOML file, written by hand or by a calibration.

    {"forward_ms": 18.5, "backward_input_ms": 18.1, "backward_weight_ms": 9.3, "step_ms": 2,
     "link_latency_us": 5, "link_bandwidth_gb_s": 25}

| key | meaning |
|---|---|
| `forward_ms`, `step_ms` | a forward of one stage and micro-batch, and an update of one stage: a
  number for all stages, or a list with an entry for each |
| `backward_input_ms`, `backward_weight_ms` | the two parts of a backward; not needed with
  `backward_ms` if the plan does not split backward passes |
| `backward_ms` | a full backward; by default the sum of its two parts |
| `loss_ms` | the loss of one micro-batch, a number; by default 0 |
| `transfer_ms` | any transfer, independent of its size; or instead |
| `link_latency_us`, `link_bandwidth_gb_s` | the latency of a link, and its GB (1e9 bytes) per s |
| `rows` | the rows of a micro-batch with these costs; others cost in proportion. Without it every
  micro-batch costs the same |
| `by` | `stage`, or `block` if the lists have an entry for each of the model's blocks |
| `sizes` | a list of tables for other sizes, each with `rows` and some of the passes' keys; costs
  between two sizes are interpolated |
| `backward_further_ms`, `backward_weight_further_ms` | the same passes of all micro-batches of a
  stage but the first, which add to existing gradients; by default as for the first |
| `joined` | only by block: a table of passes' keys with the ms by which a task through two blocks
  is shorter than two tasks through one block each; by default 0 |
| `divided` | only by block: a table of passes' keys with the factor by which parts of blocks take
  longer than whole blocks with the same arithmetic; by default 1 |
| `input` | only by block: `data` if the first block's input needs no gradient. Its stage then
  computes the gradients of its other blocks' inputs in the backward for the weights |
| `scatter` | the relative scatter of a pass's time between measurements; by default 0 |
| `transfers` | by kind (`copy`, `all-reduce`, ...) a list of measured [bytes, ms], or a number of
  ms for any size |
| `pairs` | by two lanes (`0-1`) the same for point-to-point transfers between them |
| `gap_ms` | time after each computing task in which its lane cannot start the next one; by default
  0 |
| `lane_factors` | by lane the factor by which its computing tasks take longer; by default 1 |
| `microbatch_factors` | a list by micro-batch of the factors by which its passes and its loss take
  longer; by default 1 |
| `head` | only by stage: a table of passes' keys with the ms that the last stage takes in addition
  to its entry, for the model's head. Lists for fewer stages than a plan has are then divided among
  its stages; the head is not |
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from core.costs.cost_entries import (
    FURTHER,
    KIND_OF_KEY,
    SIZED,
    curve_over_bytes,
    number_of,
    numbers_of,
    shortened,
)
from core.costs.cost_values import values_of
from core.costs.costs import CostError, CostModel, Curve, CurvePoint, cost_name, further_name
from core.files import write_whole
from core.message import Message, Text, join_texts, message
from core.option import listed
from core.plan.link import Link
from core.plan.task import Kind
from core.plan.transfers import LanePair
from core.reading import one_line, read_regular

_LINK = ("link_latency_us", "link_bandwidth_gb_s")
_OTHERS = (
    "transfer_ms",
    *_LINK,
    "rows",
    "by",
    "sizes",
    "transfers",
    "joined",
    "divided",
    "input",
    "scatter",
    "gap_ms",
    "lane_factors",
    "microbatch_factors",
    "pairs",
    "head",
)
_KEYS = (*KIND_OF_KEY, *FURTHER, *_OTHERS)
NEEDED = (
    "forward_ms, backward_input_ms, backward_weight_ms, step_ms, and transfer_ms or "
    "link_latency_us with link_bandwidth_gb_s"
)
MOST_PARTS = 64
"""Most parts of a dotted key: tomllib's time and memory grow with their square."""
_PART = re.compile(r"""[\w"' \t-]+""")
_LANE = re.compile(r"\d{1,9}", re.ASCII)
_PAIR = re.compile(r"(\d{1,9})-(\d{1,9})", re.ASCII)


def _read_toml(text: str) -> object:
    """Return the value of a text in TOML. Raises ValueError."""
    parts = 0
    for part in text.split("."):
        parts = parts + 1 if _PART.fullmatch(part) else 0
        if parts > MOST_PARTS:
            raise ValueError(message("a key has more than {most} parts", most=MOST_PARTS))
    return tomllib.loads(text)


_Reader = Callable[[str], object]
_READERS: dict[str, _Reader] = {".json": json.loads, ".toml": _read_toml}


def read_costs(path: Path | str) -> CostModel:
    """Read costs from a JSON or TOML file. Raises CostError with a message of one line."""
    reader = _READERS.get(Path(path).suffix.lower())
    if reader is None:
        endings = listed(list(_READERS))
        raise CostError(
            message("--costs {path}: use a name that ends in {endings}", path=path, endings=endings)
        )
    with one_line(message("--costs {path} cannot be read", path=path), CostError):
        values = reader(read_regular(path).decode("utf-8"))
    try:
        with one_line(message("these values are not costs"), CostError):
            return costs_of(values)
    except CostError as error:
        raise CostError(message("--costs {path}: {problem}", path=path, problem=error)) from error


def write_costs(path: Path | str, costs: CostModel) -> None:
    """Write costs as JSON, atomically. Raises OSError."""
    write_whole(path, json.dumps(values_of(costs), indent=1) + "\n")


def costs_of(values: object) -> CostModel:
    """Return the costs in a file's values. Raises CostError naming the first bad or missing key."""
    if not isinstance(values, dict):
        raise CostError(
            message("costs are a table of numbers, not {value}", value=shortened(values))
        )
    for key in values:
        if key not in _KEYS:
            raise CostError(
                message(
                    "there is no cost {key}; use {accepted}",
                    key=shortened(key),
                    accepted=listed(list(_KEYS)),
                )
            )
    by = values.get("by", "stage")
    if by not in ("stage", "block"):
        raise CostError(message("by is {value}; use 'stage' or 'block'", value=shortened(by)))
    transfers = _transfers(values.get("transfers", {}))
    passes, by_rows = _passes(values, SIZED)
    further, _ = _passes(values, FURTHER)
    if "step_ms" in values:
        times = numbers_of("step_ms", values["step_ms"])
        passes[Kind.STEP] = tuple(((1.0, ns),) for ns in times)
    _check_lengths(passes, cost_name)
    _check_lengths(further, further_name)
    link, transfer_ns = _link(values)
    missing = _missing(passes)
    if link is None and transfer_ns is None and not transfers:
        missing.append(message("transfer_ms (or {keys})", keys=listed(_LINK, "and")))
    if missing:
        raise CostError(message("the costs miss {missing}", missing=join_texts(missing, ", ")))
    passes.setdefault(Kind.LOSS, (((1.0, 0.0),),))
    scatter = number_of("scatter", values.get("scatter", 0.0))
    joined_ms = _by_kind("joined", values, by)
    divided = _by_kind("divided", values, by)
    return CostModel(
        passes=passes,
        transfers=transfers,
        link=link,
        transfer_ns=transfer_ns,
        by_rows=by_rows,
        by_block=by == "block",
        further=further,
        joined={kind: 1e6 * ms for kind, ms in joined_ms.items()},
        divided=divided,
        input_is_data=_input_is_data(values, by),
        scatter=scatter,
        gap_ns=1e6 * number_of("gap_ms", values.get("gap_ms", 0.0)),
        lane_factors=_lane_factors(values),
        microbatch_factors=_microbatch_factors(values),
        pairs=_pairs(values),
        head=_head(values, by, by_rows),
    )


@lru_cache(8)  # a live run reports costs a few times, and every step reads them
def reported_costs(text: str | None) -> CostModel | None:
    """Return the costs that a run reported as JSON; None if there are none or they are invalid."""
    try:
        return None if text is None else costs_of(json.loads(text))
    except ValueError:
        return None


def _passes(
    values: Mapping[str, object], names: Mapping[str, Kind]
) -> tuple[dict[Kind, tuple[Curve, ...]], bool]:
    """Return the curves of the passes with these keys, and True if their sizes are rows."""
    tables = _size_tables(values)
    by_rows = "rows" in values or bool(tables)
    # The top level of a file is the first of its sizes.
    if names.keys() & values.keys():
        tables = [values, *tables]
    points: dict[Kind, list[list[CurvePoint]]] = {}
    for table in tables:
        size = _size(table, by_rows)
        for name, kind in names.items():
            if name not in table:
                continue
            costs = numbers_of(name, table[name])
            curves = points.setdefault(kind, [[] for _ in costs])
            _check_entries(name, len(curves), len(costs))
            for curve, cost in zip(curves, costs, strict=True):
                curve.append((size, cost))
    passes: dict[Kind, tuple[Curve, ...]] = {}
    for kind, unsorted in points.items():
        passes[kind] = tuple(tuple(sorted(curve)) for curve in unsorted)
    return passes, by_rows


def _size_tables(values: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Return the tables of further sizes. Raises CostError."""
    tables = values.get("sizes", [])
    if isinstance(tables, list) and all(isinstance(table, dict) for table in tables):
        return tables
    raise CostError(message("sizes is {value}; use a list of tables", value=shortened(tables)))


def _size(table: Mapping[str, object], by_rows: bool) -> float:
    """Return the rows of a table; 1 if a file is not `by_rows`. Raises CostError."""
    if "rows" in table:
        return number_of("rows", table["rows"], above=0)
    if by_rows:
        raise CostError(message("the costs miss rows: with sizes, each table needs its own"))
    return 1.0


def _check_entries(name: str, before: int, count: int) -> None:
    """Raise CostError for a list of losses, or if a list has other lengths for other sizes."""
    if name == cost_name(Kind.LOSS) and count > 1:
        raise CostError(
            message("{name} is a list; only the last stage has a loss: use a number", name=name)
        )
    if before != count:
        raise CostError(
            message(
                "{name} has {before} and {count} entries; use the same number of entries",
                name=name,
                before=before,
                count=count,
            )
        )


def _check_lengths(
    passes: Mapping[Kind, tuple[Curve, ...]], name_of: Callable[[Kind], str]
) -> None:
    """Raise CostError for lists of different lengths, and for sizes that occur twice."""
    lengths: set[int] = set()
    given_lists: list[str] = []
    for kind, curves in passes.items():
        length = len(curves)
        if length > 1:
            lengths.add(length)
            given_lists.append(f"{name_of(kind)} {length}")
    if len(lengths) > 1:
        given = ", ".join(given_lists)
        raise CostError(
            message("lists by stage need the same number of entries; given: {given}", given=given)
        )
    for kind, curves in passes.items():
        sizes = [size for size, _ in curves[0]]
        if len(set(sizes)) < len(sizes):
            raise CostError(message("{name} is given twice for the same rows", name=name_of(kind)))


def _by_kind(key: str, values: Mapping[str, object], by: object) -> dict[Kind, float]:
    """Return the numbers of a table by kind of pass, for costs by block. Raises CostError."""
    found = _numbers_by_kind(key, values)
    if found and by != "block":
        raise CostError(_only_by_block(key))
    return found


def _numbers_by_kind(key: str, values: Mapping[str, object]) -> dict[Kind, float]:
    """Return the numbers of a table by kind of pass. Raises CostError."""
    table = values.get(key, {})
    if not isinstance(table, dict):
        raise CostError(
            message("{key} is {value}; use a table by cost", key=key, value=shortened(table))
        )
    accepted = {name: kind for name, kind in KIND_OF_KEY.items() if kind is not Kind.LOSS}
    found: dict[Kind, float] = {}
    for name, value in table.items():
        if name not in accepted:
            raise CostError(_not_accepted(key, name, list(accepted)))
        kind = accepted[name]
        found[kind] = number_of(f"{key}.{name}", value)
    return found


def _only_by_block(key: str) -> Message:
    return message("{key} is for costs by block; add by = 'block'", key=key)


def _not_accepted(key: str, value: object, accepted: Sequence[str]) -> Message:
    return message(
        "{key} has {value}; use {accepted}",
        key=key,
        value=shortened(value),
        accepted=listed(accepted),
    )


def _input_is_data(values: Mapping[str, object], by: object) -> bool:
    """Return True if a file says that the first block's input is data."""
    if "input" not in values:
        return False
    given = values["input"]
    if given != "data":
        raise CostError(
            message("input is {value}; use 'data', or leave it out", value=shortened(given))
        )
    if by != "block":
        raise CostError(_only_by_block("input"))
    return True


def _missing(passes: Mapping[Kind, object]) -> list[Text]:
    """Return the names of the costs that every file needs and this one lacks."""
    parts = () if Kind.BACKWARD in passes else (Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT)
    needed = (Kind.FORWARD, *parts, Kind.STEP)
    return [cost_name(kind) for kind in needed if kind not in passes]


def _link(values: Mapping[str, object]) -> tuple[Link | None, float | None]:
    """Return the link of a file, or the constant ns of its transfers; both None if unknown."""
    given = [name for name in _LINK if name in values]
    if given and "transfer_ms" in values:
        raise CostError(
            message(
                "transfer_ms and {other} both give the time of a transfer; use one", other=given[0]
            )
        )
    if "transfer_ms" in values:
        return None, 1e6 * number_of("transfer_ms", values["transfer_ms"])
    if not given:
        return None, None
    for name in _LINK:
        if name not in values:
            raise CostError(
                message("the costs miss {name}, which goes with {other}", name=name, other=given[0])
            )
    latency = number_of("link_latency_us", values["link_latency_us"])
    bandwidth = number_of("link_bandwidth_gb_s", values["link_bandwidth_gb_s"], above=0)
    return Link.of(latency, bandwidth), None


def _transfers(values: object) -> dict[Kind, Curve]:
    """Return the curves of measured transfers over bytes. Raises CostError."""
    if not isinstance(values, dict):
        raise CostError(
            message("transfers is {value}; use a table by kind", value=shortened(values))
        )
    kinds = {str(kind): kind for kind in Kind if kind.is_communication}
    curves: dict[Kind, Curve] = {}
    for name, points in values.items():
        if name not in kinds:
            raise CostError(_not_accepted("transfers", name, list(kinds)))
        curves[kinds[name]] = curve_over_bytes(f"transfers.{name}", points)
    return curves


def _pairs(values: Mapping[str, object]) -> dict[LanePair, Curve]:
    """Return the curves of transfers between two lanes. Raises CostError."""
    table = values.get("pairs", {})
    form = message("a table by two lanes, such as 0-1")
    if not isinstance(table, dict):
        raise CostError(message("pairs is {value}; use {form}", value=shortened(table), form=form))
    found: dict[LanePair, Curve] = {}
    for name, points in table.items():
        match = _PAIR.fullmatch(name)
        if match is None or int(match[1]) == int(match[2]):
            raise CostError(
                message("pairs has {value}; use {form}", value=shortened(name), form=form)
            )
        low, high = sorted((int(match[1]), int(match[2])))
        if (low, high) in found:
            raise CostError(message("pairs has {low}-{high} twice", low=low, high=high))
        found[low, high] = curve_over_bytes(f"pairs.{name}", points)
    return found


def _lane_factors(values: Mapping[str, object]) -> dict[int, float]:
    """Return the factors of lanes. Raises CostError."""
    table = values.get("lane_factors", {})
    if not isinstance(table, dict):
        raise CostError(
            message(
                'lane_factors is {value}; use a table by lane, such as {{"3": 1.5}}',
                value=shortened(table),
            )
        )
    found: dict[int, float] = {}
    for name, factor in table.items():
        if _LANE.fullmatch(name) is None:
            raise CostError(
                message("lane_factors has {value}; use the number of a lane", value=shortened(name))
            )
        lane = int(name)
        if lane in found:
            raise CostError(message("lane_factors has lane {lane} twice", lane=lane))
        found[lane] = number_of(f"lane_factors.{name}", factor, above=0)
    return found


def _microbatch_factors(values: Mapping[str, object]) -> tuple[float, ...]:
    """Return the factors of micro-batches. Raises CostError."""
    factors = values.get("microbatch_factors", [])
    if not isinstance(factors, list):
        raise CostError(
            message(
                "microbatch_factors is {value}; use a list of numbers", value=shortened(factors)
            )
        )
    return tuple(number_of("microbatch_factors", factor, above=0) for factor in factors)


def _head(values: Mapping[str, object], by: object, by_rows: bool) -> dict[Kind, Curve] | None:
    """Return the curves of the head's time, each of one point; None if not given.

    Raises CostError.
    """
    if "head" not in values:
        return None
    if by != "stage":
        raise CostError(message("head is for costs by stage; with blocks, the last one has it"))
    rows = _size(values, by_rows)
    found: dict[Kind, Curve] = {}
    for kind, ms in _numbers_by_kind("head", values).items():
        size = 1.0 if kind is Kind.STEP else rows
        found[kind] = ((size, 1e6 * ms),)
    return found
