"""Costs as a small JSON or TOML file, written by hand or by a calibration.

    {"forward_ms": 18.5, "backward_input_ms": 18.1, "backward_weight_ms": 9.3, "step_ms": 2,
     "link_latency_us": 5, "link_bandwidth_gb_s": 25}

| key | meaning |
|---|---|
| `forward_ms`, `step_ms` | of one stage and micro-batch (a step: of one stage); a number for every
  stage alike, or a list by stage |
| `backward_input_ms`, `backward_weight_ms` | the two parts of a backward; may be missing if
  `backward_ms` is there and the plan has no parts |
| `backward_ms` | a full backward; their sum unless given |
| `loss_ms` | of one micro-batch, a number; 0 unless given |
| `transfer_ms` | of any transfer, whatever it moves; or |
| `link_latency_us`, `link_bandwidth_gb_s` | latency of a link and GB (1e9 bytes) each second |
| `rows` | the rows that the costs are for: other micro-batches cost in proportion. Without it every
  micro-batch costs the same |
| `by` | `stage`, or `block` if the lists go by the model's blocks |
| `sizes` | a list of further costs, each a table with `rows` and some of the passes' keys: between
  two sizes a cost is read off the line through them |
| `backward_further_ms`, `backward_weight_further_ms` | the same passes of a stage's micro-batches
  after the first, which add to the gradients that are there; as the first unless given |
| `joined` | by block: a table of some of the passes' keys, by how many ms a task through two blocks
  is shorter than one through each of them; 0 unless given |
| `divided` | by block: a table of some of the passes' keys, by what factor parts of blocks take
  longer than whole blocks do for as much arithmetic; 1 unless given |
| `input` | by block: `data` if the first block's input needs no gradient, which its stage then does
  not make in a backward for the input; the stage's other blocks make theirs with the weights' |
| `scatter` | by what fraction passes differ from one measurement to the next; 0 unless given |
| `transfers` | by kind (`copy`, `scatter`, ...) a list of [bytes, ms] that were measured |
"""

from __future__ import annotations

import json
import re
import reprlib
import tomllib
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.costs.costs import (
    STAGED,
    CostError,
    CostModel,
    Curve,
    cost_at,
    cost_name,
    further_name,
)
from core.files import write_whole
from core.option import listed
from core.plain import error_text
from core.plan.link import Link
from core.plan.task import Kind
from core.reading import one_line, read_regular

MOST = 1e15
"""The largest cost, size or bandwidth, so that products of them stay finite."""
_NAMES = {cost_name(kind): kind for kind in (*STAGED, Kind.LOSS)}
_SIZED = {name: kind for name, kind in _NAMES.items() if kind is not Kind.STEP}
_FURTHER = {further_name(kind): kind for kind in (Kind.BACKWARD, Kind.BACKWARD_WEIGHT)}
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
)
_KEYS = (*_NAMES, *_FURTHER, *_OTHERS)
NEEDED = (
    "forward_ms, backward_input_ms, backward_weight_ms, step_ms, and transfer_ms or "
    "link_latency_us with link_bandwidth_gb_s"
)
MOST_PARTS = 64
"""Parts of a dotted key: tomllib takes time and memory by their square."""
_PART = re.compile(r"""[\w"' \t-]+""")


def _read_toml(text: str) -> object:
    """Return what a text in TOML holds. Raises ValueError."""
    parts = 0
    for part in text.split("."):
        parts = parts + 1 if _PART.fullmatch(part) else 0
        if parts > MOST_PARTS:
            raise ValueError(f"a key has more than {MOST_PARTS} parts")
    return tomllib.loads(text)


_READERS: dict[str, Callable[[str], object]] = {".json": json.loads, ".toml": _read_toml}


def read_costs(path: Path | str) -> CostModel:
    """Read costs from a JSON or TOML file. Raises CostError with a message of one line."""
    reader = _READERS.get(Path(path).suffix.lower())
    if reader is None:
        raise CostError(f"--costs {path}: use a name that ends in {listed(list(_READERS))}")
    with one_line(f"--costs {path} cannot be read", CostError):
        values = reader(read_regular(path).decode("utf-8"))
    try:
        with one_line("it makes no costs", CostError):
            return costs_of(values)
    except CostError as error:
        raise CostError(error_text(f"--costs {path}: {error}")) from error


def write_costs(path: Path | str, costs: CostModel) -> None:
    """Write costs as JSON, atomically. Raises OSError."""
    write_whole(path, json.dumps(values_of(costs), indent=1) + "\n")


def costs_of(values: object) -> CostModel:
    """Return the costs in a file's values. Raises CostError naming the first bad or missing key."""
    if not isinstance(values, dict):
        raise CostError(f"costs are a table of numbers, not {_said(values)}")
    for key in values:
        if key not in _KEYS:
            raise CostError(f"there is no cost {_said(key)}; use {listed(list(_KEYS))}")
    by = values.get("by", "stage")
    if by not in ("stage", "block"):
        raise CostError(f"by is {_said(by)}; use 'stage' or 'block'")
    transfers = _transfers(values.get("transfers", {}))
    passes, by_rows = _passes(values, _SIZED)
    further, _ = _passes(values, _FURTHER)
    if "step_ms" in values:
        passes[Kind.STEP] = tuple(((1.0, ns),) for ns in _numbers("step_ms", values["step_ms"]))
    _check_lengths({cost_name(kind): curves for kind, curves in passes.items()})
    _check_lengths({further_name(kind): curves for kind, curves in further.items()})
    link, transfer_ns = _link(values)
    missing = _missing(passes)
    if link is None and transfer_ns is None and not transfers:
        missing.append(f"transfer_ms (or {' and '.join(_LINK)})")
    if missing:
        raise CostError(f"the costs miss {', '.join(missing)}")
    passes.setdefault(Kind.LOSS, (((1.0, 0.0),),))
    scatter = _number("scatter", values.get("scatter", 0.0))
    joined = {kind: 1e6 * ms for kind, ms in _by_kind("joined", values, by).items()}
    divided = _by_kind("divided", values, by)
    return CostModel(
        passes,
        transfers,
        link,
        transfer_ns,
        by_rows,
        by_block=by == "block",
        further=further,
        joined=joined,
        divided=divided,
        input_is_data=_input_is_data(values, by),
        scatter=scatter,
    )


@lru_cache(8)  # a live run reports costs a few times, and every step reads them
def told_costs(text: str | None) -> CostModel | None:
    """Return the costs that a run reported as JSON; None if there are none or they are invalid."""
    try:
        return None if text is None else costs_of(json.loads(text))
    except ValueError:
        return None


def values_of(costs: CostModel) -> dict[str, object]:
    """Return the values of a file from which `costs_of` makes these costs."""
    values: dict[str, object] = {"by": "block"} if costs.by_block else {}
    sized = _sized_curves(costs)
    every = (curve for curves in sized.values() for curve in curves)
    sizes = sorted({size for curve in every for size, _ in curve})
    tables = [{"rows": size, **_passes_at(sized, size)} for size in sizes]
    # A file without rows has costs for micro-batches of any size.
    if not costs.by_rows:
        del tables[0]["rows"]
    values |= tables[0]
    # A step has no rows: its only point has the size 1.
    values["step_ms"] = _several([dict(c)[1] / 1e6 for c in costs.passes[Kind.STEP]])
    if tables[1:]:
        values["sizes"] = tables[1:]
    if costs.transfer_ns is not None:
        values["transfer_ms"] = costs.transfer_ns / 1e6
    if costs.link is not None:
        # Bytes per ns equal GB (1e9 bytes) per second.
        values |= {_LINK[0]: costs.link.latency_ns / 1e3, _LINK[1]: 1 / costs.link.ns_per_byte}
    if costs.transfers:
        values["transfers"] = {
            str(kind): [[size, ns / 1e6] for size, ns in curve]
            for kind, curve in costs.transfers.items()
        }
    if costs.joined:
        values["joined"] = {cost_name(kind): ns / 1e6 for kind, ns in costs.joined.items()}
    if costs.divided:
        values["divided"] = {cost_name(kind): factor for kind, factor in costs.divided.items()}
    if costs.input_is_data:
        values["input"] = "data"
    if costs.scatter:
        values["scatter"] = costs.scatter
    return values


def _sized_curves(costs: CostModel) -> dict[str, tuple[Curve, ...]]:
    """Return the curves over rows by their keys in a file."""
    first = {name: costs.passes[kind] for name, kind in _SIZED.items() if kind in costs.passes}
    further = {
        name: costs.further[kind] for name, kind in _FURTHER.items() if kind in costs.further
    }
    return first | further


def _passes_at(sized: Mapping[str, tuple[Curve, ...]], size: float) -> dict[str, object]:
    """Return the costs in ms, by key, of the passes with a point at a size.

    A stage without a point there gets an interpolated one, which does not change its curve.
    """
    found: dict[str, object] = {}
    for name, curves in sized.items():
        if any(size in dict(curve) for curve in curves):
            found[name] = _several([cost_at(curve, size) / 1e6 for curve in curves])
    return found


def _several(numbers: list[float]) -> float | list[float]:
    return numbers[0] if len(numbers) == 1 else numbers


def _passes(
    values: Mapping[str, object], names: Mapping[str, Kind]
) -> tuple[dict[Kind, tuple[Curve, ...]], bool]:
    """Return the curves of the passes with these keys, and True if their sizes are rows."""
    more = values.get("sizes", [])
    if not isinstance(more, list) or not all(isinstance(table, dict) for table in more):
        raise CostError(f"sizes is {_said(more)}; use a list of tables")
    by_rows = "rows" in values or bool(more)
    points: dict[Kind, list[list[tuple[float, float]]]] = {}
    # The top level of a file is the first of its sizes.
    tables = [values] if names.keys() & values.keys() else []
    for table in [*tables, *more]:
        size = _number("rows", table["rows"], above=0) if "rows" in table else 1.0
        if by_rows and "rows" not in table:
            raise CostError("the costs miss rows: with sizes, each table needs its own")
        for name in (name for name in names if name in table):
            costs = _numbers(name, table[name])
            if name == cost_name(Kind.LOSS) and len(costs) > 1:
                raise CostError(f"{name} is a list; a loss is the last stage's alone: use a number")
            curves = points.setdefault(names[name], [[] for _ in costs])
            if len(curves) != len(costs):
                raise CostError(f"{name} has {len(curves)} and {len(costs)} entries; use as many")
            for curve, cost in zip(curves, costs, strict=True):
                curve.append((size, cost))
    passes: dict[Kind, tuple[Curve, ...]] = {}
    for kind, unsorted in points.items():
        passes[kind] = tuple(tuple(sorted(curve)) for curve in unsorted)
    return passes, by_rows


def _check_lengths(passes: Mapping[str, tuple[Curve, ...]]) -> None:
    """Raise CostError for lists of different lengths, and for sizes that occur twice."""
    lists = {name: len(curves) for name, curves in passes.items() if len(curves) > 1}
    if len(set(lists.values())) > 1:
        counts = ", ".join(f"{name} has {count}" for name, count in lists.items())
        raise CostError(f"lists by stage need as many entries as each other: {counts}")
    for name, curves in passes.items():
        sizes = [size for size, _ in curves[0]]
        if len(set(sizes)) < len(sizes):
            raise CostError(f"{name} is given twice for the same rows")


def _by_kind(key: str, values: Mapping[str, object], by: object) -> dict[Kind, float]:
    """Return the numbers of a table by kind of pass, for costs by block. Raises CostError."""
    table = values.get(key, {})
    if not isinstance(table, dict):
        raise CostError(f"{key} is {_said(table)}; use a table by cost")
    if table and by != "block":
        raise CostError(f"{key} is for costs by block; add by = 'block'")
    accepted = {name: kind for name, kind in _NAMES.items() if kind is not Kind.LOSS}
    for name in table:
        if name not in accepted:
            raise CostError(f"{key} has {_said(name)}; use {listed(list(accepted))}")
    return {accepted[name]: _number(f"{key}.{name}", value) for name, value in table.items()}


def _input_is_data(values: Mapping[str, object], by: object) -> bool:
    """Return True if a file says that the first block's input is data."""
    if "input" not in values:
        return False
    if values["input"] != "data":
        raise CostError(f"input is {_said(values['input'])}; use 'data', or leave it out")
    if by != "block":
        raise CostError("input is for costs by block; add by = 'block'")
    return True


def _missing(passes: Mapping[Kind, object]) -> list[str]:
    parts = () if Kind.BACKWARD in passes else (Kind.BACKWARD_INPUT, Kind.BACKWARD_WEIGHT)
    needed = (Kind.FORWARD, *parts, Kind.STEP)
    return [cost_name(kind) for kind in needed if kind not in passes]


def _link(values: Mapping[str, object]) -> tuple[Link | None, float | None]:
    given = [name for name in _LINK if name in values]
    if given and "transfer_ms" in values:
        raise CostError(f"transfer_ms and {given[0]} both say what a transfer takes; use one")
    if "transfer_ms" in values:
        return None, 1e6 * _number("transfer_ms", values["transfer_ms"])
    if not given:
        return None, None
    for name in _LINK:
        if name not in values:
            raise CostError(f"the costs miss {name}, which goes with {given[0]}")
    latency = _number(_LINK[0], values[_LINK[0]])
    return Link.of(latency, _number(_LINK[1], values[_LINK[1]], above=0)), None


def _transfers(values: object) -> dict[Kind, Curve]:
    if not isinstance(values, dict):
        raise CostError(f"transfers is {_said(values)}; use a table by kind")
    kinds = {str(kind): kind for kind in Kind if kind.is_communication}
    curves = {}
    for name, points in values.items():
        if name not in kinds:
            raise CostError(f"transfers has {_said(name)}; use {listed(list(kinds))}")
        if not isinstance(points, list) or not points:
            raise CostError(f"transfers.{name} is {_said(points)}; use a list of [bytes, ms]")
        curves[kinds[name]] = tuple(sorted(_point(f"transfers.{name}", p) for p in points))
    return curves


def _point(name: str, point: object) -> tuple[float, float]:
    if not isinstance(point, list) or len(point) != 2:
        raise CostError(f"{name} has {_said(point)}; use [bytes, ms]")
    return _number(f"{name} bytes", point[0], above=0), 1e6 * _number(name, point[1])


def _numbers(name: str, value: object) -> list[float]:
    """Return costs in ns, one for all stages or one for each. Raises CostError."""
    if isinstance(value, list):
        if not value:
            raise CostError(f"{name} is an empty list; use a number, or one for each stage")
        return [1e6 * _number(name, item) for item in value]
    return [1e6 * _number(name, value)]


def _number(name: str, value: Any, above: float | None = None) -> float:
    # bool is a subclass of int.
    fits = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST
    if not fits or (above is not None and value < max(above, 1 / MOST)):
        wanted = "of 0 or more" if above is None else f"above {above:g}, from {1 / MOST:g}"
        raise CostError(f"{name} is {_said(value)}; use a number {wanted} to {MOST:g}")
    return float(value)


def _said(value: object) -> str:
    text = reprlib.repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
