"""The functions of the Python interface: run, open, predict, compare and gate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from bubblescope.api.comparison import Comparison
from bubblescope.api.errors import BubblescopeError, in_one_line
from bubblescope.api.options import host_from, specification_from
from bubblescope.api.predicting import predict_run, with_measured_costs
from bubblescope.api.progress import NoProgress, ProgressBar
from bubblescope.api.run import Run
from bubblescope.api.running import Progress, execute
from bubblescope.api.sent_model import files_of, sent_model
from core.compare.assertions import parse_assertion
from core.compare.gate import Gate, judge
from core.compare.runs import compare_runs
from core.costs.costs_file import read_costs
from core.engine.messages import Outcome
from core.files import check_outputs
from core.plan.planning import check, check_unmeasured
from core.plan.specification import TORCHRUN
from core.recording.recording import open_recording
from core.trace.complete import run_faults
from core.trace.median_step import whole_steps
from core.trace.verified import verified


def run(
    strategy: str = "pipeline",
    *,
    record: Path | str | None = None,
    on: str = "",
    progress: bool = True,
    sample: Sequence[object] | None = None,
    loss: Callable[..., object] | None = None,
    **options: object,
) -> Run:
    """Run a strategy in a separate process, and return the run when it has ended.

    `options` are the options of the command `run` with underscores, such as
    `run("pipeline", schedule="1f1b", devices="4xvirtual", microbatches=8)`. The run is recorded to
    the file `record` while it runs. With `on="user@host"` the process runs on that machine, through
    ssh; file names in `options` then refer to files there.

    `model` may also be a module in memory, or a list of modules that are its blocks. Then `sample`
    is its data: tensors `(input, target)` with a row for each example, all of which form a batch
    unless `batch` is given. `loss(output, target)` returns a mean over rows (default: the mean
    squared error). The process trains a copy; the module itself is not changed.

    Raises BubblescopeError if the model cannot be sent, or if the run is refused, fails or, with
    `verify=True`, has wrong gradients. Ctrl+C, or interrupting the kernel, ends the process, keeps
    the recording, and raises KeyboardInterrupt.
    """
    with in_one_line(), sent_model(options, sample, loss) as sent:
        host = host_from(on)
        specification = specification_from({"strategy": strategy, **sent})
        check(specification)
        if specification.launcher == TORCHRUN:
            raise BubblescopeError("launcher='torchrun' is for the command line: bubblescope run")
        file = None if record is None else str(record)
        # The options of a run on another machine name files there.
        written = {"record": file, "gradients": None if host else specification.gradients}
        check_outputs(written, () if host else specification.own_files)
        bar: Progress = ProgressBar(strategy) if progress else NoProgress()
        trace, ended = execute(specification, bar, file, host, files_of(sent, options))
        if ended.outcome is Outcome.STOPPED:
            raise KeyboardInterrupt
        if ended.outcome is not Outcome.FINISHED:
            raise BubblescopeError(str(ended.text))
        found = verified(trace)
        if found is not None and not found.agrees:
            raise BubblescopeError(found.text)
        return Run(trace)


def open_run(path: Path | str) -> Run:
    """Read a recording, a folder of ranks, or another program's trace.

    The run's `warning` names missing or damaged data. Raises BubblescopeError if the file cannot be
    read.
    """
    with in_one_line():
        opened = open_recording(str(path))
        faults = "; ".join(str(fault.text) for fault in run_faults(opened.trace))
    return Run(opened.trace, str(opened.warning) or faults)


def predict(
    strategy: str = "pipeline",
    *,
    costs: Path | str | None = None,
    measured: Run | Path | str | None = None,
    sample: Sequence[object] | None = None,
    loss: Callable[..., object] | None = None,
    **options: object,
) -> Run:
    """Predict a step of a strategy, without running it.

    The costs of its tasks are read from the file `costs`, as `bubblescope calibrate` writes it, or
    taken from the whole steps of the run or file `measured`; give one of the two. `options`,
    `sample` and `loss` are those of `run`. Raises BubblescopeError if neither or both are given,
    and for an impossible plan.
    """
    with in_one_line(), sent_model(options, sample, loss) as sent:
        specification = specification_from({"strategy": strategy, **sent})
        if (costs is None) == (measured is None):
            raise BubblescopeError("predict needs either costs=FILE or measured=RUN")
        if measured is not None:
            trace = _as_run(measured).trace
            steps = whole_steps(trace)
            if not steps:
                raise BubblescopeError("measured: the run has no whole step")
            specification, known = with_measured_costs(specification, trace, steps, "measured")
        check_unmeasured(specification)
        check(specification)
        if measured is None:
            known = read_costs(str(costs))
        return Run(predict_run(specification, known).trace)


def compare(a: Run | Path | str, b: Run | Path | str) -> Comparison:
    """Compare the median steps of two runs, each given as a run or a file.

    Raises BubblescopeError for a run without a whole step.
    """
    with in_one_line():
        runs = (_as_run(a), _as_run(b))
        return Comparison(compare_runs(runs[0].trace, runs[1].trace), runs)


def gate(
    baseline: Run | Path | str,
    new: Run | Path | str,
    fail_over: float = 0.0,
    assertions: Sequence[str] = (),
) -> Gate:
    """Judge whether a run is slower than a baseline by more than noise and the allowed slow-down.

    `fail_over` is the allowed slow-down as a fraction, such as 0.03; `assertions` are texts such as
    `bubble<20%`. The result's `passes` is the answer, and `headline` the reason in one line. Raises
    BubblescopeError if either run has fewer than five whole steps.
    """
    with in_one_line():
        asserted = [parse_assertion(text) for text in assertions]
        return judge(_as_run(baseline).trace, _as_run(new).trace, fail_over, asserted)


def _as_run(given: Run | Path | str) -> Run:
    return given if isinstance(given, Run) else open_run(given)
