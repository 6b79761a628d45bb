"""Keys of a file of costs other than the costs of passes; see `core.costs.costs_file`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from core.costs.cost_entries import (
    KIND_OF_KEY,
    curve_over_bytes,
    curve_over_rows,
    number_of,
    shortened,
)
from core.costs.costs import CostError, Curve, cost_name
from core.costs.pass_costs import size_of
from core.message import Message, message
from core.option import listed
from core.plan.link import Link
from core.plan.task import Kind
from core.plan.transfers import LanePair

LINK_KEYS = ("link_latency_us", "link_bandwidth_gb_s")
_LANE = re.compile(r"\d{1,9}", re.ASCII)
_PAIR = re.compile(r"(\d{1,9})-(\d{1,9})", re.ASCII)


def block_numbers_by_kind(key: str, values: Mapping[str, object], by: object) -> dict[Kind, float]:
    """Return the numbers of a table by kind of pass, for costs by block. Raises CostError."""
    found = _numbers_by_kind(key, values)
    if found and by != "block":
        raise CostError(_only_by_block(key))
    return found


def joined_of(values: Mapping[str, object], by: object) -> dict[Kind, Curve]:
    """Return the savings in ns, as curves over rows, for each block of a task after the first.

    Raises CostError.
    """
    found: dict[Kind, Curve] = {}
    for kind, points in _values_by_kind("joined", values).items():
        found[kind] = curve_over_rows(f"joined.{cost_name(kind)}", points)
    if found and by != "block":
        raise CostError(_only_by_block("joined"))
    return found


def _numbers_by_kind(key: str, values: Mapping[str, object]) -> dict[Kind, float]:
    """Return the numbers of a table by kind of pass. Raises CostError."""
    found: dict[Kind, float] = {}
    for kind, value in _values_by_kind(key, values).items():
        found[kind] = number_of(f"{key}.{cost_name(kind)}", value)
    return found


def _values_by_kind(key: str, values: Mapping[str, object]) -> dict[Kind, object]:
    """Return the values of a table by kind of pass. Raises CostError."""
    table = values.get(key, {})
    if not isinstance(table, dict):
        raise CostError(
            message("{key} is {value}; use a table by cost", key=key, value=shortened(table))
        )
    accepted = {name: kind for name, kind in KIND_OF_KEY.items() if kind is not Kind.LOSS}
    found: dict[Kind, object] = {}
    for name, value in table.items():
        if name not in accepted:
            raise CostError(_not_accepted(key, name, list(accepted)))
        found[accepted[name]] = value
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


def input_is_data(values: Mapping[str, object], by: object) -> bool:
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


def link_of(values: Mapping[str, object]) -> tuple[Link | None, float | None]:
    """Return a file's link, or else the constant ns of its transfers; both None if unknown."""
    given = [name for name in LINK_KEYS if name in values]
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
    for name in LINK_KEYS:
        if name not in values:
            raise CostError(
                message("the costs lack {name}, which {other} requires", name=name, other=given[0])
            )
    latency = number_of("link_latency_us", values["link_latency_us"])
    bandwidth = number_of("link_bandwidth_gb_s", values["link_bandwidth_gb_s"], above=0)
    return Link.of(latency, bandwidth), None


def transfers_of(values: object) -> dict[Kind, Curve]:
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


def pairs_of(values: Mapping[str, object]) -> dict[LanePair, Curve]:
    """Return the curves of transfers between two lanes. Raises CostError."""
    table = values.get("pairs", {})
    form = message("a table by two lanes, such as 0-1")
    if not isinstance(table, dict):
        raise CostError(message("pairs is {value}; use {form}", value=shortened(table), form=form))
    found: dict[LanePair, Curve] = {}
    for name, points in table.items():
        match = _PAIR.fullmatch(name)
        numbers = [] if match is None else sorted(map(int, match.groups()))
        if len(set(numbers)) < 2:
            raise CostError(
                message("pairs has {value}; use {form}", value=shortened(name), form=form)
            )
        low, high = numbers
        if (low, high) in found:
            raise CostError(message("pairs has {low}-{high} twice", low=low, high=high))
        found[low, high] = curve_over_bytes(f"pairs.{name}", points)
    return found


def lane_factors_of(values: Mapping[str, object]) -> dict[int, float]:
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


def microbatch_factors_of(values: Mapping[str, object]) -> tuple[float, ...]:
    """Return the factors of micro-batches. Raises CostError."""
    factors = values.get("microbatch_factors", [])
    if not isinstance(factors, list):
        raise CostError(
            message(
                "microbatch_factors is {value}; use a list of numbers", value=shortened(factors)
            )
        )
    return tuple(number_of("microbatch_factors", factor, above=0) for factor in factors)


def head_of(values: Mapping[str, object], by: object, by_rows: bool) -> dict[Kind, Curve] | None:
    """Return the curves of the head's time, each of one point; None if not given.

    Raises CostError.
    """
    if "head" not in values:
        return None
    if by != "stage":
        raise CostError(
            message("head is only for costs by stage; with blocks, the last block includes it")
        )
    rows = size_of(values, by_rows)
    found: dict[Kind, Curve] = {}
    for kind, ms in _numbers_by_kind("head", values).items():
        size = 1.0 if kind is Kind.STEP else rows
        found[kind] = ((size, 1e6 * ms),)
    return found
