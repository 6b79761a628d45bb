"""A job under torchrun is started in the window and drawn as its ranks send it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.engine.messages import Outcome
from core.job.runs import RunLauncher
from core.models.catalogue import ModelSettings
from core.plan.specification import Specification
from gui.features.run.feature import RunFeature
from gui.window.window import MainWindow

pytest.importorskip("torch")

RUN_MS = 120_000
JOB = Specification(
    "pipeline", ModelSettings("mlp", width=64, depth=4), "2xcpu", batch=32, steps=3,
    schedule="1f1b", launcher="torchrun", verify=True,
)  # fmt: skip


@pytest.fixture
def engine() -> Iterator[RunLauncher]:
    """The specification of the run that the window has started."""
    made = RunLauncher()
    yield made
    made.close()


def test_a_torch_pipeline_is_started_from_the_form_and_drawn(
    real_window: MainWindow, qtbot: object
) -> None:
    window = real_window
    window.feature(RunFeature).form.set_specification(JOB)
    assert window.feature(RunFeature).form.specification().launcher == "torchrun"
    assert not isinstance(window.feature(RunFeature).form.result, str), window.feature(
        RunFeature
    ).form.result
    with qtbot.waitSignal(window.session.run_ended, timeout=RUN_MS) as ended:
        window.action("run").trigger()
    (run,) = ended.args
    assert run.outcome is Outcome.FINISHED, run.text
    assert [lane.name for lane in run.trace.header.lanes][:2] == ["rank 0", "rank 1"]
    assert run.trace.steps == [0, 1, 2, 3]  # the last warm-up step and the measured ones
    stages = {(span.stage, span.lane) for span in run.trace if span.stage is not None}
    assert stages == {(0, 0), (1, 1)}
    assert window.run_shown is run
    assert window.action("run").isEnabled()


def test_a_job_that_torchs_engine_does_not_support_is_refused_in_the_form(
    real_window: MainWindow, qtbot: object
) -> None:
    real_window.feature(RunFeature).form.set_specification(JOB.having(schedule="zb-h1"))
    result = real_window.feature(RunFeature).form.result
    assert isinstance(result, str) and "zb-h1" in result


def test_stop_ends_torchrun_and_its_ranks(
    real_window: MainWindow, engine: RunLauncher, qtbot: object
) -> None:
    window = real_window
    window.feature(RunFeature).form.set_specification(JOB.having(steps=100_000, verify=False))
    with qtbot.waitSignal(window.session.run_started, timeout=RUN_MS):
        window.action("run").trigger()
    run = window.session.live
    qtbot.waitUntil(lambda: len(run.trace.steps) > 2, timeout=RUN_MS)
    with qtbot.waitSignal(window.session.run_ended, timeout=RUN_MS):
        window.action("stop").trigger()
    assert run.outcome is Outcome.STOPPED
    assert run.trace.span_count > 0
    assert not engine.running
