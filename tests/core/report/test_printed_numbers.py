"""Every number that a verdict and a summary print, worked out once more from the recording."""

from __future__ import annotations

import importlib.util
import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean

import numpy as np
import pytest

from bubblescope.api.predicting import PredictedRun
from bubblescope.cli.prediction import prediction_text, summary_of
from bubblescope.cli.report import summary_text
from core.models.catalogue import ModelSettings
from core.plan.faults import Faults
from core.plan.specification import Specification, describe
from core.plan.strategies import STRATEGIES
from core.plan.task import Kind
from core.predict.predict import predict_step
from core.predict.without_machine import PlannedStep
from core.report.idling import MOSTLY, REASONS, WORK
from core.report.summary import summarise
from core.report.verdict import Verdict, verdict
from core.trace.trace import Trace
from tests.core.helpers import plan_of, run_here
from tests.core.report.recomputed import Step, measured, median
from tests.core.report.verdicts import equal_blocks, made

MODEL = ModelSettings("mlp", width=64, depth=16)
LANES = "4xvirtual:cpu"
ONE_DEVICE = {
    "scatter-rows", "replicate-model", "gather-or-reduce", "loss-for-all", "update-for-all"
}  # fmt: skip
BARS = ("ideal", "imbalance", "bubble", "communication", "host")
NUMBER = r"-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?"
TIME = rf"{NUMBER} (?:µs|ms|s)"


def asked(strategy: str, **given: object) -> Specification:
    return Specification(strategy, MODEL, LANES, **{"batch": 64, "steps": 3, "warmup": 1, **given})


RUNS = [
    asked("single"),
    asked("dp"),
    asked("dp", batch=9),
    asked("dp", slow_kind="replicate:2000"),
    asked("dp", slow_kind="loss:900"),
    asked("dp", slow_kind="step:100"),
    asked("ddp", bucket_mb=0.02),
    asked("ddp", batch=9, bucket_mb=0.02),
    asked("fsdp"),
    asked("tp"),
    asked("mp"),
    asked("mp", batch=16, data=33, steps=5),
    asked("mp", borders="3,6,9"),
    asked("mp", slow_lane="0:4"),
    asked("mp", slow_lane="3:4"),
    asked("dp-pp", schedule="1f1b", microbatches=4),
    asked("dp-pp", schedule="zb-v", microbatches=4, link="500:0.1"),
    asked("dp-pp", schedule="interleaved", microbatches=4, link="50:0.5"),
    *(
        asked("pipeline", schedule=schedule, microbatches=8)
        for schedule in ("gpipe", "1f1b", "zb-h1", "zb-v", "interleaved", "chimera", "dualpipe-v")
    ),
    asked("pipeline", schedule="gpipe", microbatches=4, link="900:0.01"),
    asked("pipeline", schedule="1f1b", microbatches=4, borders="1,2,3"),
    asked("pipeline", schedule="gpipe", microbatches=2, slow_lane="0:3"),
    asked("pipeline", schedule="1f1b", microbatches=4, slow_link="1-2:2000"),
]
HERE = importlib.util.find_spec("torch") is not None


def name_of(spec: Specification) -> str:
    """Name of one of RUNS by the settings in which it differs from the others."""
    parts = (spec.strategy, spec.schedule, spec.batch, spec.slow_kind, spec.link, spec.borders)
    parts += (spec.slow_lane, spec.slow_link)
    return " ".join(str(part) for part in parts if part)


def predicted(spec: Specification) -> tuple[str, Trace]:
    """The text of `predict` for a run's step on a model of equal blocks, and that step."""
    run = PlannedStep(replace(spec, steps=1, warmup=0), describe(spec), plan_of(spec))
    costs = equal_blocks(len(run.model.blocks))
    faults = Faults.of(run.specification)
    prediction = predict_step(run.plan, costs, faults)
    found = PredictedRun(run, prediction, costs, faults, number=1, step=0)
    return prediction_text(summary_of(found)), found.trace


def agrees(printed: str, expected: float, digits: int = 3) -> bool:
    """True if a number is printed as `expected`, of which so many digits count."""
    value = float(printed.replace(",", ""))
    if expected == 0:
        return value == 0
    last = 10.0 ** (math.floor(math.log10(abs(expected))) + 1 - digits)
    # A hair more than half of the last digit, for sums in another order.
    return abs(value - expected) <= 0.501 * last


def ns_of(time: str) -> tuple[str, float]:
    """The number of a time such as `1.25 ms`, and how many ns its unit has."""
    number, unit = time.split()
    return number, {"ms": 1e6, "µs": 1e3}[unit]


def assert_time(printed: str, ns: float) -> None:
    """A time is printed in three digits."""
    number, unit = ns_of(printed)
    assert agrees(number, ns / unit), (printed, ns)


def assert_share(printed: str, share: float, digits: int = 2) -> None:
    """A share is printed in per cent."""
    assert agrees(printed.removesuffix(" %"), 100 * share, digits), (printed, share)


@pytest.mark.parametrize("spec", RUNS, ids=name_of)
def test_the_numbers_of_a_run_are_those_of_its_recording(spec: Specification) -> None:
    assert_printed(made(replace(spec, jitter=0.02), idle=0.01).trace)


@pytest.mark.parametrize("spec", RUNS, ids=name_of)
def test_the_numbers_of_a_prediction_are_those_of_its_tasks(spec: Specification) -> None:
    text, trace = predicted(spec)
    lines, step = labelled(text), Step(trace, 0)
    found = verdict(trace)
    assert found is not None and lines["verdict"] == str(found.text)
    limit(opening(str(found.text), step, [step]), step, [step], found)
    assert_time(lines["step"], step.makespan)
    bubble(lines["bubble"], step)
    rows = text.splitlines()[-len(step.compute) :]
    for lane, row in zip(step.compute, rows, strict=True):
        _, cause = lane_times(row, step, lane).split(maxsplit=1)
        mine = causes_of(step, lane)
        assert cause == "-" if not mine else mine[cause] == max(mine.values())


@pytest.mark.skipif(not HERE, reason="it runs the model, which takes torch")
@pytest.mark.parametrize("spec", [spec for spec in RUNS if spec.slow_kind is None], ids=name_of)
def test_the_numbers_of_a_real_run_on_virtual_lanes_are_those_of_its_recording(
    spec: Specification,
) -> None:
    assert_printed(run_here(spec))


def test_all_strategies_are_here() -> None:
    assert {spec.strategy for spec in RUNS} == set(STRATEGIES)


def assert_printed(trace: Trace) -> None:
    """Compare every number of a trace's summary, as printed, with the recording."""
    summary = summarise(trace)
    text = summary_text(summary)
    steps = measured(trace)
    step = median(steps)
    lines = labelled(text)
    assert summary.verdict is not None and lines["verdict"] == str(summary.verdict.text)
    rest = opening(lines["verdict"], step, of_plan(steps, step))
    limit(rest, step, steps, summary.verdict)
    assert lines["rows"] == rows(steps, trace.header.replicas)
    times(lines, steps, step, trace)
    bubble(lines["bubble"], step)
    waterfall(lines["waterfall in ms"].removesuffix(" = step"), step)
    path(lines["critical path"], step)
    lane_table(text, step, trace)
    collectives(text, steps)


def labelled(text: str) -> dict[str, str]:
    """The lines of a text that have a label, by it."""
    return dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)


def of_plan(steps: Sequence[Step], step: Step) -> list[Step]:
    """The steps that have the plan of one of them."""
    return [one for one in steps if entering(one) == entering(step)]


def opening(said: str, step: Step, steps: Sequence[Step]) -> str:
    """Check how long a step takes and what lanes wait for; return the rest of the verdict.

    A lane is named only if it is what lanes wait for most in four fifths of `steps` or more.
    """
    found = re.match(
        rf"Step ({NUMBER} \S+)\. Lanes idle ({NUMBER} %)"
        rf"(?:(: mostly|, the largest part) (.*?) \(({NUMBER} %)\))?\. (.*)",
        said,
    )
    assert found is not None, said
    length, share, how, words, part, rest = found.groups()
    assert_time(length, step.makespan)
    whole = step.makespan * len(step.compute)
    idle_ns = sum(step.idle_ns(lane) for lane in step.compute)
    assert idle_ns == sum(piece.ns for piece in step.idle)
    assert_share(share, idle_ns / whole)
    if words is None:
        assert idle_ns < 0.005 * whole
        return rest
    lost = lost_to(step)
    most = max(lost, key=lambda cause: lost[cause].total())
    text = REASONS[one_cause(most)]
    total, (lane, alone) = lost[most].total(), lost[most].most_common(1)[0]
    leads = [lost_to(one)[most].most_common(1) for one in steps]
    steady = sum(bool(found) and found[0][0] == lane for found in leads) >= 0.8 * len(steps)
    named = "{who}" in text and alone > MOSTLY * total and steady
    expected = alone if named else total
    assert_share(part, expected / whole)
    assert (how == ": mostly") == (2 * expected >= idle_ns)
    before, _, after = text.partition("{who}")
    assert words.startswith(before) and (most == "split-imbalance" or words.endswith(after))
    if not named:
        assert re.search(r"\d", words) is None
        return rest
    who = f"device {lane}" if most == "one device" else f"lane {lane}"
    assert who in words
    return work_for_all(rest, step, lane) if most == "one device" else rest


def lost_to(step: Step) -> dict[str, Counter[int]]:
    """Idle ns of a step by reason, and by the lane that is waited for."""
    lost: dict[str, Counter[int]] = defaultdict(Counter)
    for piece in step.idle:
        # One lane's work for all is one reason, whatever that lane does.
        reason = "one device" if piece.cause in ONE_DEVICE else piece.cause
        lost[reason][piece.waits_for] += piece.ns
    return lost


def one_cause(name: str) -> str:
    """The id of a cause, any one of those that count as one."""
    return "gather-or-reduce" if name == "one device" else name


def work_for_all(rest: str, step: Step, lane: int) -> str:
    """Check what a device does for all others; return the rest of the verdict."""
    found = re.match(
        rf"Device {lane} spends ({NUMBER} %) of the step on the others: (.*?)\. (.*)",
        rest,
    )
    assert found is not None, rest
    share, work, rest = found.groups()
    every = step.union(lane, WORK)
    assert_share(share, every / step.makespan)
    taken = {kind: step.union(lane, [kind]) for kind in WORK}
    longest_first = sorted(taken, key=taken.__getitem__, reverse=True)
    named = [WORK[kind] for kind in longest_first if taken[kind] >= 0.1 * every]
    assert work == ", ".join(named)
    return rest


def limit(text: str, step: Step, steps: Sequence[Step], judged: Verdict) -> None:
    """Check the sentence on what limits the step: its loss, its share and other numbers."""
    kind, loss = judged.kind, judged.loss_ns
    taken = step.taken()
    whole = step.lasts(taken)
    totals = {lane: step.busy(lane) for lane in step.compute}
    mean, most = fmean(totals.values()), max(totals.values())
    computes = {one.task.index: step.computes(one) for one in step.ran}
    lane_of = {one.task.index: one.task.lane for one in step.ran}
    even = {
        number: ns * mean / max(1, totals[lane_of[number]]) if computes[number] else ns
        for number, ns in taken.items()
    }
    work = {number: ns if computes[number] else 0.0 for number, ns in taken.items()}
    even_work = {number: ns if computes[number] else 0.0 for number, ns in even.items()}
    still = step.lasts(work)
    losses = {
        "imbalance": whole - step.lasts(even),
        "schedule": still - most,
        "communication": whole - still,
    }
    named, least = max(losses, key=losses.__getitem__), 0.05 * step.makespan
    if losses[named] < least:
        named, losses["schedule"] = "schedule", step.lasts(even_work) - mean
    if losses[named] < least:
        named = "none"
    late = step.makespan - whole
    if kind == "hiccup":
        return hiccup(text, steps, loss)
    if kind in ("slow-lane", "slow-link"):
        return slow(text, step, loss)
    # Uneven work is noise if no lane has more in nearly all steps.
    expected_kinds = {"imbalance", "noise"} if named == "imbalance" else {named}
    assert kind in ({"host"} if late > step.makespan / 3 else expected_kinds), (kind, losses)
    if kind == "none":
        assert loss == 0 and "each cost less than a twentieth of the step" in text
        return
    expected = late if kind == "host" else losses[named]
    assert loss == pytest.approx(expected, abs=2)
    cost = re.search(rf"(?:costs|would save) ({NUMBER} \S+) \(({NUMBER} %) of the step\)", text)
    assert cost is not None, text
    assert_time(cost[1], expected)
    assert_share(cost[2], expected / step.makespan)
    if kind == "imbalance":
        told = re.match(
            rf"Imbalance: lane (\d+) computes for ({NUMBER} \S+), the average lane for (.*?);", text
        )
        assert told is not None, text
        assert totals[int(told[1])] > mean
        assert_time(told[2], totals[int(told[1])])
        assert_time(told[3], mean)
    if kind == "host":
        task = re.search(rf": a task takes ({NUMBER} \S+), and the host", text)
        usual = float(np.median([ns for number, ns in taken.items() if computes[number]]))
        assert task is not None
        assert_time(task[1], usual)


def hiccup(text: str, steps: Sequence[Step], loss: int) -> None:
    """Check what is said of a task that took longer in one step than in the others."""
    found = re.fullmatch(
        rf"Hiccup: in step (\d+), (\S+) on lane (\d+) took ({NUMBER} \S+) instead of "
        rf"({NUMBER} \S+), "
        rf"which cost ({NUMBER} \S+) \(({NUMBER} %) of that step\)\.",
        text,
    )
    assert found is not None, text
    number, task, lane, taken, usual, cost, share = found.groups()
    step = steps[int(number) - 1]
    alike = [one for one in step.on(int(lane)) if str(one.task) == task]
    longest = max(alike, key=lambda one: one.end - one.begun)
    assert_time(taken, longest.end - longest.begun)
    value, unit = ns_of(usual)
    usual_ns = float(value) * unit
    without = step.taken() | {longest.task.index: usual_ns}
    saved = step.lasts(step.taken()) - step.lasts(without)
    # The usual time is printed in three digits.
    assert loss == pytest.approx(saved, abs=0.01 * usual_ns)
    assert_time(cost, loss)
    assert_share(share, loss / step.makespan)


def slow(text: str, step: Step, loss: int) -> None:
    """Check what is said to be lost by a lane or link that is slower than others.

    Without it a step is shorter by no more than if all of its tasks took less by that factor.
    """
    lanes = re.match(r"(?:Lane|The link between lanes) (\d+)(?: and (\d+))?", text)
    found = re.search(
        rf" ({NUMBER}) times as long as .*costs (?:at least )?({NUMBER} \S+) "
        rf"\(({NUMBER} %) of the step\)\.$",
        text,
    )
    assert lanes is not None and found is not None, text
    own = {int(lane) for lane in lanes.groups() if lane is not None}
    moves = len(own) == 2
    factor = float(found[1].replace(",", ""))
    faster = step.taken()
    for one in step.ran:
        if one.task.kind.is_communication == moves and step.lanes[one.task.lane].serves in own:
            faster[one.task.index] /= factor
    assert 0 < loss <= 1.01 * (step.lasts(step.taken()) - step.lasts(faster))
    assert_time(found[2], loss)
    assert_share(found[3], loss / step.makespan)


def rows(steps: Sequence[Step], replicas: int) -> str:
    """How the batches of the steps were split over replicas, as the summary says it."""
    splits, pieces = [], [entering(step) for step in steps]
    for own in pieces:
        split = [0] * replicas
        for (replica, _), count in own.items():
            split[replica] += count
        splits.append(f"[{','.join(map(str, split))}]")
    text = ", then ".join(dict.fromkeys(splits))
    by_microbatch: Counter[int] = Counter()
    for (_, microbatch), count in pieces[-1].items():
        by_microbatch[microbatch] += count
    if len(by_microbatch) > 1:
        listed = ",".join(str(by_microbatch[m]) for m in sorted(by_microbatch))
        text += f" in {len(by_microbatch)} micro-batches of {listed}"
    return text


def entering(step: Step) -> dict[tuple[int, int], int]:
    """The rows that enter the model, by replica and micro-batch."""
    found = {}
    for one in step.ran:
        task = one.task
        first = not task.stage and not task.block
        if task.kind in (Kind.FORWARD, Kind.OVERLAP) and first:
            found[task.replica or 0, task.microbatch or 0] = task.rows
    return found


def times(lines: Mapping[str, str], steps: Sequence[Step], step: Step, trace: Trace) -> None:
    """Check the lines on the median step and on all steps."""
    found = re.fullmatch(
        rf"({TIME}) \((?:1 measured step|step (\d+), the median of (\d+))\)", lines["step"]
    )
    assert found is not None, lines["step"]
    assert_time(found[1], step.makespan)
    if len(steps) > 1:
        number = step.number - trace.header.specification.warmup + 1
        assert (int(found[2]), int(found[3])) == (number, len(steps))
    over = next(text for name, text in lines.items() if name.startswith("over "))
    told = re.fullmatch(
        rf"({TIME}) mean, ({NUMBER}) shortest, ({NUMBER}) longest; "
        rf"loss (\S+) to (\S+); times known to ({NUMBER}) µs",
        over,
    )
    assert told is not None, over
    lengths = [one.makespan for one in steps]
    assert_time(told[1], fmean(lengths))
    unit = told[1].split()[1]
    assert_time(f"{told[2]} {unit}", min(lengths))
    assert_time(f"{told[3]} {unit}", max(lengths))
    losses = dict(
        zip(
            *(c.tolist() for c in (trace.counter("loss").steps, trace.counter("loss").values)),
            strict=True,
        )
    )
    for printed, one in ((told[4], steps[0]), (told[5], steps[-1])):
        if one.number in losses:
            assert agrees(printed, losses[one.number], 6)
        else:
            assert printed == "unknown"


def bubble(text: str, step: Step) -> None:
    """Check both definitions of the bubble."""
    found = re.match(rf"({NUMBER} %) of the makespan, ({NUMBER} %) of the longest lane", text)
    assert found is not None, text
    idle_ns = sum(step.idle_ns(lane) for lane in step.compute)
    assert_share(found[1], idle_ns / step.makespan / len(step.compute), 3)
    spans = {}
    for lane in step.compute:
        if mine := step.on(lane):
            spans[lane] = max(one.end for one in mine) - mine[0].start
    longest = max(spans, key=spans.__getitem__)
    worked = step.busy(longest) + step.moving(longest)
    assert_share(found[2], (spans[longest] - worked) / spans[longest], 3)


def waterfall(text: str, step: Step) -> None:
    """Check the bars from the ideal step to the measured one."""
    taken = step.taken()
    work = {
        one.task.index: 0 if one.task.kind.is_communication else taken[one.task.index]
        for one in step.ran
    }
    totals = [step.busy(lane) for lane in step.compute]
    ideal, most = sum(totals) // len(totals), max(totals)
    still, moving = step.lasts(work), step.lasts(taken)
    bars = (ideal, most - ideal, still - most, moving - still, step.makespan - moving)
    assert sum(bars) == step.makespan
    printed = re.findall(rf"(?:^|([+-]) )[a-z][a-z ]* ({NUMBER})", text)
    assert len(printed) == len(bars), text
    for (sign, number), ns in zip(printed, bars, strict=True):
        assert (sign == "-") == (ns < 0)
        assert agrees(number, abs(ns) / 1e6), (text, bars)


def path(text: str, step: Step) -> None:
    """Check the shares of the critical path."""
    expected = {name: ns for name, ns in step.path().items() if ns}
    assert sum(expected.values()) == step.makespan
    printed = dict(reversed(part.split(" % ")) for part in text.split(", "))
    assert set(printed) == set(expected)
    for name, share in printed.items():
        assert_share(share, expected[name] / step.makespan, 3)


def lane_table(text: str, step: Step, trace: Trace) -> None:
    """Check the row of every lane: times, memory, spans, and the main cause of its idle time."""
    lines = text.splitlines()
    head = next(place for place, line in enumerate(lines) if line.startswith("lane "))
    for lane in step.lanes:
        rest = lane_times(lines[head + 1 + lane.index], step, lane.index)
        found = re.fullmatch(rf"({NUMBER}) (k?M?G?B)\s+(\d+)\s+(.*)", rest)
        assert found is not None, rest
        held, unit, spans, cause = found.groups()
        scale = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}[unit]
        assert agrees(held, step.held(trace, lane.index) / scale)
        assert int(spans) == len(step.on(lane.index))
        mine = causes_of(step, lane.index)
        if not mine:
            assert cause == "-"
            continue
        label, percent = cause.removesuffix(" %)").rsplit(" (", 1)
        assert mine[label] == max(mine.values())
        assert float(percent) == pytest.approx(100 * mine[label] / mine.total(), abs=0.501)


def lane_times(row: str, step: Step, lane: int) -> str:
    """Check how a lane spent a step; return what its row of a table says beside that."""
    name = re.escape(step.lanes[lane].name)
    found = re.fullmatch(rf"{name}{4 * rf' +({NUMBER})'} +(.*)", row)
    assert found is not None, row
    busy, moving, idle, share, rest = found.groups()
    idle_ns = step.idle_ns(lane)
    assert agrees(busy, step.busy(lane) / 1e6)
    assert agrees(moving, step.moving(lane) / 1e6)
    assert agrees(idle, idle_ns / 1e6)
    assert float(share) == pytest.approx(100 * idle_ns / step.makespan, abs=0.0501)
    return rest


def causes_of(step: Step, lane: int) -> Counter[str]:
    """Ns of a lane's idle time by cause, as causes are called in tables."""
    labels = {str(cause): cause.label for cause in REASONS}
    found: Counter[str] = Counter()
    for piece in step.idle:
        if piece.lane == lane:
            found[labels[piece.cause]] += piece.ns
    if lane not in step.compute and step.idle_ns(lane):
        found["nothing to move"] = step.idle_ns(lane)
    return found


def collectives(text: str, steps: Sequence[Step]) -> None:
    """Check how often ranks met, who arrived last, and for how long the others waited."""
    waits, moves = defaultdict(list), defaultdict(list)
    for step in steps:
        members = defaultdict(list)
        for one in step.ran:
            if one.meets is not None:
                members[one.meets].append(one)
        for (kind, stage, block, bucket, _), met in members.items():
            name = (kind, stage, block, bucket)
            waits[name].append(met[0].begun - min(one.start for one in met))
            moves[name].append(max(one.end for one in met) - met[0].begun)
    lines = text.splitlines()
    if not waits:
        assert not any(line.startswith("collective, over") for line in lines)
        return
    head = next(place for place, line in enumerate(lines) if line.startswith("collective, over"))
    assert f"over {len(steps)} step" in lines[head]
    first = sorted(waits, key=lambda name: -(sum(waits[name]) // len(waits[name])))
    printed = [line for line in lines[head + 1 :] if re.match(r"all-|reduce-", line)]
    for line in printed:
        found = re.fullmatch(rf"(\S+)(?: (\d+))?\s+(\d+)\s+.*?\s+({NUMBER})\s+({NUMBER})", line)
        assert found is not None, line
        kind, number, often, wait, move = found.groups()
        same = [
            name for name in first
            if name[0] == kind and str(name[3] if name[3] is not None else name[2]) == str(number)
        ]  # fmt: skip
        assert any(
            int(often) == len(waits[name])
            and agrees(wait, sum(waits[name]) // len(waits[name]) / 1e6)
            and agrees(move, sum(moves[name]) // len(moves[name]) / 1e6)
            for name in same
        ), line
