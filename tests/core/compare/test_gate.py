"""The gate: when a run is slower, by how much, why, and when it is not judged."""

import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from core.compare.assertions import Assertion, GateFigure, figures_of_run, parse_assertion
from core.compare.baselines import find_baseline
from core.compare.gate import Gate, Judgement, judge
from core.compare.gate_files import gate_junit, gate_markdown, gate_text
from core.errors import PlanError
from core.plan.specification import Specification
from core.report.summary import summarise
from core.trace.trace import Trace
from tests.core.compare.gated import Machine, Slowdown, pipeline, run_of

QUIET = Machine(scatter=0.005, jitter=0.0)
RUN = pipeline(10)
NAMES = ("main.arrow", "new.arrow")


@pytest.fixture(scope="module")
def baseline() -> Trace:
    return run_of(RUN, QUIET, 1)


def slower(slowdown: Slowdown, run: Specification = RUN) -> Trace:
    return run_of(run, QUIET, 2, slowdown)


def test_a_run_without_a_change_is_no_slower(baseline: Trace) -> None:
    gate = judge(baseline, run_of(RUN, QUIET, 2))
    assert gate.judgement is Judgement.ALIKE and gate.passes and not gate.failures
    assert str(gate.sentence).startswith("no slower: ") and "within the noise of " in str(
        gate.sentence
    )


@pytest.mark.parametrize(
    ("slowdown", "reason"),
    [
        (Slowdown((), factor=1.2, lane=2), "computing on virtual:2 costs "),
        (Slowdown((), factor=1.2), "computing costs "),
        (Slowdown((), factor=400, moves=True), "moving data costs "),
        (Slowdown((), late=0.2), "waiting for the host costs "),
    ],
    ids=["lane", "all lanes", "transfers", "host"],
)
def test_a_slower_run_fails_and_says_why(baseline: Trace, slowdown: Slowdown, reason: str) -> None:
    gate = judge(baseline, slower(slowdown))
    assert gate.judgement is Judgement.SLOWER and not gate.passes
    assert gate.failures == (gate.sentence,) and "\n" not in str(gate.sentence)
    assert f": {reason}" in str(gate.sentence) and str(gate.sentence).endswith(" ms more")


def test_the_kind_of_pass_that_is_slower_is_named(baseline: Trace) -> None:
    run = replace(RUN, slow_kind="backward:1.3")
    gate = judge(baseline, run_of(run, QUIET, 2))
    assert "computing (backward) costs " in str(gate.sentence)


def test_runs_of_different_plans_have_the_reason_of_a_comparison(baseline: Trace) -> None:
    gate = judge(baseline, run_of(pipeline(10, microbatches=2), QUIET, 2))
    assert "its lanes spend on average " in str(gate.sentence)
    assert str(gate.sentence).endswith("(2 micro-batches instead of 8)")


def test_a_slow_down_up_to_what_is_allowed_passes(baseline: Trace) -> None:
    new = slower(Slowdown((), factor=1.05))
    assert judge(baseline, new, fail_over=0.03).judgement is Judgement.SLOWER
    allowed = judge(baseline, new, fail_over=0.1)
    assert allowed.judgement is Judgement.ALLOWED and allowed.passes
    assert "allowed 10 %): computing costs " in str(allowed.sentence)


def test_below_the_noise_nothing_is_judged() -> None:
    noisy = Machine(scatter=0.05)
    a, b = run_of(RUN, noisy, 1), run_of(RUN, noisy, 2, Slowdown((), factor=1.05))
    gate = judge(a, b, fail_over=0.03)
    assert gate.noise > 0.05 and gate.judgement is Judgement.NOT_JUDGED and gate.passes
    assert "hides a slow-down of 3 %: record more steps, or allow more" in str(gate.sentence)


def test_a_faster_run_passes(baseline: Trace) -> None:
    gate = judge(slower(Slowdown((), factor=1.2)), baseline)
    assert gate.judgement is Judgement.FASTER and gate.passes and gate.shift < -0.1


def test_equal_runs_have_the_least_noise(baseline: Trace) -> None:
    assert judge(baseline, baseline, fail_over=0.01).noise >= 0.005


def test_five_steps_a_side_are_needed(baseline: Trace) -> None:
    few = run_of(pipeline(4), QUIET, 1)
    for a, b, name in ((few, baseline, "main.arrow"), (baseline, few, "new.arrow")):
        with pytest.raises(PlanError, match=f"^{name} has at most 4 whole steps.* at least 5 are"):
            judge(a, b, names=NAMES)


def test_the_figures_are_those_of_the_summary(baseline: Trace) -> None:
    figures = figures_of_run(baseline)
    step = summarise(baseline).median
    assert figures[GateFigure.BUBBLE] == step.bubble_by_makespan
    assert figures[GateFigure.STEP] == step.makespan_ns
    assert figures[GateFigure.EXPOSED] == step.ladder["communication"] / step.makespan_ns


def test_assertions_fail_with_the_figure(baseline: Trace) -> None:
    bounds = [parse_assertion(text) for text in ("bubble<5%", "exposed<=90%", "step > 1us")]
    gate = judge(baseline, baseline, assertions=bounds)
    assert [one.holds for one in gate.checked] == [False, True, True]
    (failure,) = map(str, gate.failures)
    assert failure.startswith("bubble<5% does not hold: bubble is ") and failure.endswith(" %")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("exposed<5%", Assertion("exposed<5%", GateFigure.EXPOSED, "<", 0.05)),
        (" bubble >= 12.5 % ", Assertion("bubble >= 12.5 %", GateFigure.BUBBLE, ">=", 0.125)),
        ("step<1.5s", Assertion("step<1.5s", GateFigure.STEP, "<", 1.5e9)),
    ],
)
def test_assertions_are_read(text: str, expected: Assertion) -> None:
    assert parse_assertion(text) == expected


@pytest.mark.parametrize(
    "text", ["", "bubble", "bubble<", "bubble<5", "bubble<5ms", "step<5%", "speed<5%", "bubble<-5%",
             "bubble==5%", "bubble<5%%", "bubble<1e999%", "bubble<٥%"]
)  # fmt: skip
def test_what_is_no_assertion_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(PlanError, match=r"^--assert .*: ") as caught:
        parse_assertion(text)
    assert "\n" not in str(caught.value)


def failing_gate(baseline: Trace) -> Gate:
    bounds = [parse_assertion("bubble<5%"), parse_assertion("exposed<90%")]
    return judge(baseline, slower(Slowdown((), factor=1.2, lane=2)), assertions=bounds)


def test_junit_has_a_case_for_the_step_time_and_one_for_each_assertion(baseline: Trace) -> None:
    suite = ET.fromstring(gate_junit(failing_gate(baseline), NAMES))[0]
    assert suite.attrib == {
        "name": "bubblescope gate", "tests": "3", "failures": "2", "skipped": "0", "errors": "0",
    }  # fmt: skip
    failed = {case.get("name"): case.find("failure") is not None for case in suite}
    assert failed == {"step time": True, "bubble<5%": True, "exposed<90%": False}


def test_a_gate_that_does_not_judge_is_a_skipped_case() -> None:
    noisy = Machine(scatter=0.05)
    gate = judge(run_of(RUN, noisy, 1), run_of(RUN, noisy, 2), fail_over=0.01)
    suite = ET.fromstring(gate_junit(gate, ("a", "<&\x1b\"'>")))[0]
    assert suite.get("skipped") == "1" and suite[0].find("skipped") is not None


def test_markdown_has_no_markup_of_names(baseline: Trace) -> None:
    text = gate_markdown(failing_gate(baseline), ("a|b\n# c", "<script>"))
    assert "### Step time: failed" in text and "a\\|b\\\\n\\# c" in text
    assert "<script>" not in text and "- bubble\\<5% does not hold" in text


def test_the_text_names_both_runs_on_lines_of_their_own(baseline: Trace) -> None:
    first, *_, last = gate_text(failing_gate(baseline), NAMES).splitlines()
    assert first.startswith("FAIL: slower: a step takes ")
    assert last == "baseline: main.arrow, 10 steps; new: new.arrow, 10 steps"


def test_a_failing_assertion_is_said_first(baseline: Trace) -> None:
    assertions = [parse_assertion("bubble<99%"), parse_assertion("bubble<1%")]
    gate = judge(baseline, baseline, assertions=assertions)
    lines = gate_text(gate, NAMES).splitlines()
    assert lines[0].startswith("FAIL: bubble<1% does not hold: bubble is ")
    assert lines[1].startswith("no slower: ") and lines[2].startswith("bubble<99% holds: ")
    assert len(lines) == 4
    assert "bubble\\<1% does not hold" in gate_markdown(gate, NAMES).splitlines()[2]


def test_names_of_baselines_may_have_dots(tmp_path: Path) -> None:
    for file in ("gpt.arrow", "gpt.v2.arrow", "gpt.v3.json.gz", "bert.pt.trace.json"):
        (tmp_path / file).touch()
    for name, file in (
        ("gpt", "gpt.arrow"),
        ("gpt.v2", "gpt.v2.arrow"),
        ("gpt.v3", "gpt.v3.json.gz"),
        ("bert", "bert.pt.trace.json"),
    ):
        assert find_baseline(str(tmp_path), "new.arrow", name) == str(tmp_path / file)


def test_a_folder_without_the_baseline_says_what_it_has(tmp_path: Path) -> None:
    (tmp_path / "gpt.arrow").touch()
    words = "no other recording called .*; it has gpt.arrow: choose one with --name"
    for new in ("bert.arrow", str(tmp_path / "gpt.arrow")):
        with pytest.raises(PlanError, match=words):
            find_baseline(str(tmp_path), new, None)


def test_baselines_in_a_folder_have_names(tmp_path: Path) -> None:
    for name in ("gpt.arrow", "bert.arrow", "gpt.json"):
        (tmp_path / name).touch()
    (tmp_path / "runs").mkdir()
    new = tmp_path / "runs" / "gpt.arrow"
    new.touch()
    folder = str(tmp_path)
    assert find_baseline(folder, str(new), None) == str(tmp_path / "gpt.arrow")
    assert find_baseline(folder, str(new), "bert") == str(tmp_path / "bert.arrow")
    assert find_baseline(folder, str(new), "gpt.json") == str(tmp_path / "gpt.json")
    # A folder of ranks is the baseline.
    (tmp_path / "ranks").mkdir()
    (tmp_path / "ranks" / "rank-0.arrow").touch()
    assert find_baseline(str(tmp_path / "ranks"), "other.arrow", None) == str(tmp_path / "ranks")
    assert find_baseline(str(new), str(new), None) == str(new)


@pytest.mark.parametrize(
    ("name", "words"),
    [("t5", "has no such recording; it has bert.arrow, gpt.arrow, gpt.json"), ("gpt", "several")],
)
def test_a_name_that_no_or_several_baselines_have_is_refused(
    tmp_path: Path, name: str, words: str
) -> None:
    for file in ("gpt.arrow", "bert.arrow", "gpt.json"):
        (tmp_path / file).touch()
    with pytest.raises(PlanError, match=words):
        find_baseline(str(tmp_path), "new.arrow", name)


def test_a_name_needs_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.arrow").touch()
    with pytest.raises(PlanError, match="is not a folder of baselines"):
        find_baseline(str(tmp_path / "a.arrow"), "new.arrow", "a")
