"""Costs as a small JSON or TOML file, written by hand or by a calibration.

    {"forward_ms": 18.5, "backward_input_ms": 18.1, "backward_weight_ms": 9.3, "step_ms": 2,
     "link_latency_us": 5, "link_bandwidth_gb_s": 25}

docs/predictions.md describes every key. `core.costs.pass_costs` reads the costs of passes, in one
or several sizes; `core.costs.cost_tables` reads all other keys.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from core.costs.cost_entries import FURTHER, KIND_OF_KEY, SIZED, number_of, numbers_of, shortened
from core.costs.cost_tables import (
    LINK_KEYS,
    block_numbers_by_kind,
    head_of,
    input_is_data,
    joined_of,
    lane_factors_of,
    link_of,
    microbatch_factors_of,
    pairs_of,
    transfers_of,
)
from core.costs.cost_values import values_of
from core.costs.costs import CostError, CostModel, cost_name, further_name
from core.costs.pass_costs import check_lengths, missing_costs, passes_of
from core.files import write_whole
from core.message import list_texts, message
from core.option import listed
from core.plan.task import Kind
from core.reading import one_line, read_regular

_OTHERS = (
    "transfer_ms",
    *LINK_KEYS,
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
    transfers = transfers_of(values.get("transfers", {}))
    passes, by_rows = passes_of(values, SIZED)
    further, _ = passes_of(values, FURTHER)
    if "step_ms" in values:
        times = numbers_of("step_ms", values["step_ms"])
        passes[Kind.STEP] = tuple(((1.0, ns),) for ns in times)
    check_lengths(passes, cost_name)
    check_lengths(further, further_name)
    link, transfer_ns = link_of(values)
    missing = missing_costs(passes)
    if link is None and transfer_ns is None and not transfers:
        missing.append(message("transfer_ms (or {keys})", keys=listed(LINK_KEYS, "and")))
    if missing:
        raise CostError(message("the costs lack {missing}", missing=list_texts(missing)))
    passes.setdefault(Kind.LOSS, (((1.0, 0.0),),))
    scatter = number_of("scatter", values.get("scatter", 0.0))
    divided = block_numbers_by_kind("divided", values, by)
    return CostModel(
        passes=passes,
        transfers=transfers,
        link=link,
        transfer_ns=transfer_ns,
        by_rows=by_rows,
        by_block=by == "block",
        further=further,
        joined=joined_of(values, by),
        divided=divided,
        input_is_data=input_is_data(values, by),
        scatter=scatter,
        gap_ns=1e6 * number_of("gap_ms", values.get("gap_ms", 0.0)),
        lane_factors=lane_factors_of(values),
        microbatch_factors=microbatch_factors_of(values),
        pairs=pairs_of(values),
        head=head_of(values, by, by_rows),
    )


@lru_cache(8)  # a live run reports costs a few times, and every step reads them
def reported_costs(text: str | None) -> CostModel | None:
    """Return the costs that a run reported as JSON; None if there are none or they are invalid."""
    try:
        if text is None:
            return None
        return costs_of(json.loads(text))
    except ValueError:
        return None
