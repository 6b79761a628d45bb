"""The judgement of a check's measurements."""

import dataclasses
import json

import pytest

from core.check.findings import Level, judge, overall, overall_text
from core.check.measured import (
    ClockWidth,
    Contention,
    Done,
    Failed,
    GradientError,
    NotMeasured,
    Overlap,
    PeerStep,
    ProfilerDifference,
    RecordingCost,
    Setting,
    SpanOrder,
    StampCost,
    from_plain,
    to_plain,
)
from core.message import message

US, MS = 1_000, 1_000_000

JUDGED = [
    (StampCost("cpu", 150, 900), Level.GOOD),
    (StampCost("cpu", 30 * US, 90 * US), Level.CARE),
    (StampCost("cpu", 200 * US, 900 * US), Level.BAD),
    (ClockWidth("cpu", 8 * US), Level.GOOD),
    (ClockWidth("cpu", 100 * US), Level.CARE),
    (ClockWidth("cpu", 2 * MS), Level.BAD),
    (Overlap("cpu + cpu", 10 * MS, 11 * MS), Level.GOOD),
    (Overlap("cpu + cpu", 10 * MS, 15 * MS), Level.CARE),
    (Overlap("cpu + cpu", 10 * MS, 20 * MS), Level.BAD),
    (ProfilerDifference("cpu", 7 * US, 6 * US, 50, 20), Level.GOOD),
    (ProfilerDifference("cpu", 7 * US, -90 * US, 50, 20), Level.CARE),
    (ProfilerDifference("cpu", 700 * US, 6 * US, 50, 20), Level.BAD),
    (RecordingCost("cpu", 10 * MS, 10.1 * MS, 0.01 * MS), Level.GOOD),
    (RecordingCost("cpu", 10 * MS, 10.6 * MS, 0.01 * MS), Level.CARE),
    (RecordingCost("cpu", 10 * MS, 12 * MS, 0.01 * MS), Level.BAD),
    (RecordingCost("cpu", 10 * MS, 10.6 * MS, 1 * MS), Level.GOOD),  # within the scatter
    (RecordingCost("cpu", 10 * MS, 9.5 * MS, 0.01 * MS), Level.GOOD),
    (GradientError("dp", 3e-7, 3.4e-4), Level.GOOD),
    (GradientError("dp", 0.5, 3.4e-4), Level.BAD),
    (GradientError("dp", float("nan"), 3.4e-4), Level.BAD),
    (SpanOrder("1f1b", 90, 15 * US, 8 * US), Level.GOOD),
    (SpanOrder("1f1b", 90, 17 * US, 8 * US), Level.BAD),
    (PeerStep("dp", "nn.DataParallel", 12 * MS, 10 * MS, 0.1 * MS), Level.GOOD),
    (PeerStep("dp", "nn.DataParallel", 13 * MS, 10 * MS, 0.1 * MS), Level.CARE),
    (PeerStep("dp", "nn.DataParallel", 6 * MS, 10 * MS, 0.1 * MS), Level.CARE),
    (PeerStep("dp", "nn.DataParallel", 13 * MS, 10 * MS, 2 * MS), Level.GOOD),  # within scatter
    (Contention(0, 0.004), Level.GOOD),
    (Contention(0, 0.05), Level.CARE),
    (Contention(0, 0.5), Level.BAD),
    (Setting("governor", "performance"), Level.GOOD),
    (Setting("governor", "powersave"), Level.CARE),
    (Setting("governor", "unknown"), Level.UNKNOWN),
    (Setting("launch blocking", "on"), Level.CARE),
    (Setting("heat", "3 ×"), Level.CARE),
    (Setting("time limit", "120 ms"), Level.CARE),
    (Setting("battery", "on"), Level.CARE),
    (NotMeasured("Overlap", "cpu + cpu", "there is one core"), Level.UNKNOWN),
]


@pytest.mark.parametrize(("measured", "level"), JUDGED, ids=str)
def test_a_measurement_has_its_verdict_and_advice(measured, level):
    line = judge(measured)
    assert line.level is level
    assert str(line.check)
    assert line.advice or level in (Level.GOOD, Level.UNKNOWN)
    assert not line.advice or level is not Level.GOOD


@pytest.mark.parametrize("measured", [one for one, _ in JUDGED if one == one], ids=str)
def test_a_measurement_survives_the_wire(measured):
    sent = json.dumps(to_plain(measured))
    assert dataclasses.asdict(from_plain(json.loads(sent))) == pytest.approx(
        dataclasses.asdict(measured), nan_ok=True
    )


def test_the_ends_of_a_check_survive_the_wire():
    failed = Failed(message("torch is {state}", state="missing"))
    for sent in (Done(), failed):
        received = from_plain(json.loads(json.dumps(to_plain(sent))))
        assert str(received) == str(sent)


def test_the_worst_line_is_the_verdict_and_unmeasured_lines_do_not_count():
    lines = [judge(one) for one, _ in JUDGED]
    assert overall(lines) is Level.BAD
    good = [line for line in lines if line.level in (Level.GOOD, Level.UNKNOWN)]
    assert overall(good) is Level.GOOD
    assert str(overall_text(good)) == "The times of this machine can be trusted."
    assert overall([]) is Level.UNKNOWN
