"""Costs as a file: what it may say, and by which name it is told what is wrong."""

import json
from dataclasses import replace

import pytest

from core.costs.cost_values import values_of
from core.costs.costs import CostError, cost_at
from core.costs.costs_file import costs_of, read_costs, write_costs
from core.plan.link import Link
from core.plan.task import Kind

HAND = {"forward_ms": 2, "backward_input_ms": 3, "backward_weight_ms": 4, "step_ms": 5,
        "transfer_ms": 1}  # fmt: skip


def without(*names: str) -> dict:
    return {name: value for name, value in HAND.items() if name not in names}


def test_json_and_toml_say_the_same(tmp_path):
    (tmp_path / "costs.json").write_text(json.dumps({**HAND, "forward_ms": [1, 2]}))
    toml = "\n".join(f"{name} = {value}" for name, value in {**HAND, "forward_ms": [1, 2]}.items())
    (tmp_path / "costs.toml").write_text(toml)
    first = read_costs(tmp_path / "costs.json")
    assert first == read_costs(tmp_path / "costs.toml")
    assert first.passes[Kind.FORWARD] == (((1.0, 1e6),), ((1.0, 2e6),))
    assert first.transfer_ns == 1e6 and not first.by_rows


@pytest.mark.parametrize(
    "values",
    [
        HAND,
        {**HAND, "forward_ms": [1, 2, 3], "loss_ms": 0.25},
        {**without("transfer_ms"), "link_latency_us": 5, "link_bandwidth_gb_s": 25},
        {**HAND, "rows": 16, "sizes": [{"rows": 64, "forward_ms": 6}]},
        {**HAND, "by": "block", "backward_ms": 6},
        {
            **HAND,
            "rows": 16,
            "backward_weight_further_ms": 5,
            "scatter": 0.02,
            "sizes": [{"rows": 64, "forward_ms": 6, "backward_weight_further_ms": 7}],
        },
        {
            **HAND,
            "by": "block",
            "joined": {"forward_ms": 0.25},
            "divided": {"step_ms": 1.5},
            "input": "data",
        },
        {**HAND, "by": "block", "joined": {"forward_ms": [[4, 0.5], [16, -0.25]], "step_ms": -1}},
        {**without("transfer_ms"), "rows": 4, "transfers": {"copy": [[10, 1], [20, 1.5]]}},
        {
            **HAND,
            "gap_ms": 0.25,
            "lane_factors": {"0": 1, "3": 1.5},
            "microbatch_factors": [1, 0.5, 2.5],
            "transfers": {"all-reduce": 4, "copy": [[10, 1]]},
            "pairs": {"0-1": 2, "1-2": [[10, 1], [20, 1.5]]},
            "head": {"forward_ms": 0.5, "step_ms": 3},
        },
        {**HAND, "loss_ms": 1, "rows": 16, "head": {"forward_ms": 0.5, "step_ms": 3}},
        {**HAND, "forward_ms": [1, 2], "head": {}},
    ],
)
def test_written_costs_are_read_again(values, tmp_path):
    costs = costs_of(values)
    assert costs_of(values_of(costs)) == costs
    write_costs(tmp_path / "costs.json", costs)
    assert read_costs(tmp_path / "costs.json") == costs


def test_a_link_has_latency_and_bandwidth():
    values = {**without("transfer_ms"), "link_latency_us": 5, "link_bandwidth_gb_s": 25}
    assert costs_of(values).link == Link(5000, 0.04)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (without("forward_ms"), "the costs lack forward_ms"),
        (without("backward_weight_ms"), "the costs lack backward_weight_ms"),
        (
            without("backward_input_ms", "backward_weight_ms", "step_ms"),
            "the costs lack backward_input_ms, backward_weight_ms, step_ms",
        ),
        (without("transfer_ms"), "the costs lack transfer_ms (or link_latency_us and link_band"),
        (
            {**without("transfer_ms"), "link_latency_us": 1},
            "the costs lack link_bandwidth_gb_s, which link_latency_us requires",
        ),
        (
            {**HAND, "link_latency_us": 1, "link_bandwidth_gb_s": 1},
            "transfer_ms and link_latency_us both give the time of a transfer; use one",
        ),
        ({}, "the costs lack forward_ms, backward_input_ms, backward_weight_ms, step_ms, transfer"),
        ({**HAND, "forward_ms": "fast"}, "forward_ms is 'fast'; use a number of 0 or more"),
        ({**HAND, "forward_ms": True}, "forward_ms is True; use a number of 0 or more"),
        ({**HAND, "step_ms": -1}, "step_ms is -1; use a number of 0 or more"),
        ({**HAND, "step_ms": float("nan")}, "step_ms is nan; use a number of 0 or more"),
        ({**HAND, "step_ms": 10**400}, "step_ms is 100000"),
        ({**HAND, "step_ms": 1e300}, "step_ms is 1e+300; use a number of 0 or more to 1e+15"),
        ({**HAND, "rows": 1e-300}, "rows is 1e-300; use a number above 0, from 1e-15 to 1e+15"),
        ({**HAND, "x" * 5000: 1}, "there is no cost 'xxx"),
        ({**HAND, "step_ms": []}, "step_ms is an empty list; use a number, or one for each stage"),
        ({**HAND, "step_ms": [1, "x"]}, "step_ms is 'x'; use a number of 0 or more"),
        (
            {**HAND, "step_ms": [1, 2], "forward_ms": [1, 2, 3]},
            "lists by stage need the same number of entries; given: forward_ms 3, step_ms 2",
        ),
        (
            {**without("transfer_ms"), "link_latency_us": 1, "link_bandwidth_gb_s": 0},
            "link_bandwidth_gb_s is 0; use a number above 0",
        ),
        ({**HAND, "loss_ms": [1, 2]}, "loss_ms is a list; only the last stage has a loss"),
        ({**HAND, "forwrad_ms": 1}, "there is no cost 'forwrad_ms'; use forward_ms, backward_ms"),
        ({**HAND, "by": "lane"}, "by is 'lane'; use 'stage' or 'block'"),
        ({**HAND, "rows": 0}, "rows is 0; use a number above 0"),
        ({**HAND, "sizes": [{"rows": 2, "forward_ms": 1}]}, "the costs lack rows: with sizes"),
        ({**HAND, "sizes": 3}, "sizes is 3; use a list of tables"),
        (
            {**HAND, "rows": 2, "sizes": [{"rows": 2, "forward_ms": 1}]},
            "forward_ms is given twice for the same rows",
        ),
        ({**HAND, "transfers": {"forward": [[1, 1]]}}, "transfers has 'forward'; use scatter, "),
        ({**HAND, "transfers": {"copy": [1]}}, "transfers.copy has 1; use [bytes, ms]"),
        ({**HAND, "joined": 3}, "joined is 3; use a table by cost"),
        (
            {**HAND, "by": "block", "joined": {"forward_ms": [3]}},
            "joined.forward_ms has 3; use [rows, ms]",
        ),
        (
            {**HAND, "by": "block", "joined": {"forward_ms": []}},
            "joined.forward_ms is an empty list; use [rows, ms] for each size, or a number of ms "
            "for all",
        ),
        (
            {**HAND, "by": "block", "joined": {"forward_ms": [[4, -1e16]]}},
            "joined.forward_ms is -1e+16; use a number from -1e+15 to 1e+15",
        ),
        ({**HAND, "joined": {"forward_ms": 1}}, "joined is for costs by block; add by = 'block'"),
        (
            {**HAND, "by": "block", "divided": {"loss_ms": 1}},
            "divided has 'loss_ms'; use forward_ms, ",
        ),
        ({**HAND, "by": "block", "input": 1}, "input is 1; use 'data', or leave it out"),
        ({**HAND, "input": "data"}, "input is for costs by block; add by = 'block'"),
        ({**HAND, "scatter": "much"}, "scatter is 'much'; use a number of 0 or more"),
        (
            {**HAND, "backward_further_ms": [1, 2], "backward_weight_further_ms": [1, 2, 3]},
            "lists by stage need the same number of entries; given: backward_further_ms 2",
        ),
        ({**HAND, "transfers": []}, "transfers is []; use a table by kind"),
        ({**HAND, "transfers": {"copy": -1}}, "transfers.copy is -1; use a number of 0 or more"),
        ({**HAND, "transfers": {"copy": True}}, "transfers.copy is True; use a number of 0 or"),
        (
            {**HAND, "transfers": {"copy": []}},
            "transfers.copy is []; use a list of [bytes, ms], or a number of ms for any size",
        ),
        ({**HAND, "gap_ms": "short"}, "gap_ms is 'short'; use a number of 0 or more"),
        ({**HAND, "gap_ms": [1, 2]}, "gap_ms is [1, 2]; use a number of 0 or more"),
        (
            {**HAND, "lane_factors": [1, 2]},
            'lane_factors is [1, 2]; use a table by lane, such as {"3": 1.5}',
        ),
        (
            {**HAND, "lane_factors": {"last": 2}},
            "lane_factors has 'last'; use the number of a lane",
        ),
        ({**HAND, "lane_factors": {"3": 0}}, "lane_factors.3 is 0; use a number above 0"),
        ({**HAND, "lane_factors": {"3": 1, "03": 1}}, "lane_factors has lane 3 twice"),
        (
            {**HAND, "microbatch_factors": 2},
            "microbatch_factors is 2; use a list of numbers",
        ),
        (
            {**HAND, "microbatch_factors": [1, -1]},
            "microbatch_factors is -1; use a number above 0",
        ),
        ({**HAND, "pairs": 3}, "pairs is 3; use a table by two lanes, such as 0-1"),
        ({**HAND, "pairs": {"1": 3}}, "pairs has '1'; use a table by two lanes, such as 0-1"),
        ({**HAND, "pairs": {"1-1": 3}}, "pairs has '1-1'; use a table by two lanes, such as 0-1"),
        ({**HAND, "pairs": {"0-1": 3, "1-0": 2}}, "pairs has 0-1 twice"),
        ({**HAND, "pairs": {"0-1": "x"}}, "pairs.0-1 is 'x'; use a list of [bytes, ms], or a"),
        ({**HAND, "head": 3}, "head is 3; use a table by cost"),
        ({**HAND, "head": {"loss_ms": 1}}, "head has 'loss_ms'; use forward_ms, "),
        ({**HAND, "head": {"forward_ms": "x"}}, "head.forward_ms is 'x'; use a number of 0 or"),
        (
            {**HAND, "by": "block", "head": {}},
            "head is only for costs by stage; with blocks, the last block includes it",
        ),
        ([1], "costs are a table of numbers, not [1]"),
    ],
)
def test_missing_and_wrong_keys_are_named_in_one_line(values, said):
    with pytest.raises(CostError) as error:
        costs_of(values)
    assert str(error.value).startswith(said) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("costs.json", "{", "cannot be read: Expecting property name"),
        ("costs.toml", "forward_ms = ", "cannot be read: Invalid value"),
        ("costs.json", "[" * 100_000, "cannot be read: it is nested too deeply"),
        ("costs.toml", "a = " + "[" * 100_000, "cannot be read: it is nested too deeply"),
        ("costs.toml", "step_ms = 0x" + "f" * 5000, "these values are not costs"),
        ("costs.json", '{"' + "y" * 5000 + '": 1}', "there is no cost 'yyy"),
        ("costs.yaml", "", "use a name that ends in .json or .toml"),
        ("costs.json", '{"forward_ms": 1}', "the costs lack backward_input_ms, backward_weight_ms"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(name, text, said, tmp_path):
    path = tmp_path / name
    path.write_bytes(text.encode(errors="surrogatepass"))
    with pytest.raises(CostError) as error:
        read_costs(path)
    assert str(path) in str(error.value) and said in str(error.value)
    assert len(str(error.value)) < 1000


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(CostError, match=r"none\.json cannot be read"):
        read_costs(tmp_path / "none.json")


def test_a_pass_that_its_stages_have_at_different_sizes_is_written_whole():
    """As split backward passes of uneven micro-batches: some stages have only the smaller ones."""
    curves = (((5.0, 20.0),), ((5.0, 20.0), (6.0, 30.0)), ((6.0, 36.0),))
    costs = costs_of({**HAND, "rows": 5})
    costs = replace(costs, passes={**costs.passes, Kind.BACKWARD_INPUT: curves})
    again = costs_of(json.loads(json.dumps(values_of(costs)))).passes[Kind.BACKWARD_INPUT]
    for curve, told in zip(curves, again, strict=True):
        for size in (1, 5, 5.5, 6, 12):
            assert cost_at(told, size) == pytest.approx(cost_at(curve, size))
