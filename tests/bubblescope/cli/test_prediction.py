"""The command that predicts, where there is no torch."""

import json

import pytest

import bubblescope as bs
from bubblescope.cli.replaying import replay_text
from bubblescope.cli.start import run_arguments
from core.paths import PROJECT_ROOT
from core.plan.faults import HICCUP
from core.plan.plan import Role
from core.recording.recording import open_recording
from core.report.verdict import verdict
from core.trace.source import Source
from tests.bubblescope.cli.status import status_of
from tests.core.recording.importers.pipeline_jobs import JobOptions, make_job, write_primus
from tests.forked_commands import run_started
from tests.make_believe import record, specification

COSTS = {"forward_ms": 3, "backward_input_ms": 2, "backward_weight_ms": 1, "step_ms": 0,
         "transfer_ms": 0}  # fmt: skip


@pytest.fixture
def predict(commands, tmp_path):
    """Runs `predict` in a folder with costs.json, and fails whatever imports torch."""
    (tmp_path / "costs.json").write_text(json.dumps(COSTS))

    def call(words, run=commands.run):
        return run(tmp_path, ["predict", *words.split()], absent="torch")

    return call


def test_a_prediction_for_64_devices_needs_neither_them_nor_torch(predict, tmp_path):
    done = predict(
        "--strategy pipeline --schedule zb-h1 --stages 64 --microbatches 256 --costs costs.json "
        "--summary out.json",
        run=run_started,
    )
    assert done.returncode == 0, done.stderr
    values = json.loads((tmp_path / "out.json").read_text())
    bubble = 63 * (3 + 2 - 1)
    assert values["makespan_ns"] == (256 * 6 + bubble) * 1_000_000
    fraction = pytest.approx(bubble / (256 * 6 + bubble))
    assert values["bubble_by_makespan"] == values["closed_form"] == fraction
    assert values["stages"] == 64 and values["microbatches"] == 256
    computing = [lane for lane in values["lanes"] if lane["role"] == "compute"]
    assert [lane["peak_activations"] for lane in computing] == [64] * 64
    for lane in values["lanes"]:
        total = lane["busy_ns"] + lane["communication_ns"] + lane["idle_ns"]
        assert total == values["makespan_ns"]
        assert sum(lane["idle_by_cause"].values()) == lane["idle_ns"]
    assert "cuda:63" in done.stdout and "by the closed form" in done.stdout


def test_a_prediction_is_drawn_as_a_run_is(predict, tmp_path):
    pytest.importorskip("PySide6", reason="Qt is not installed")
    done = predict("--stages 4 --costs costs.json --image out.png")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


def test_a_prediction_is_saved_as_a_recording_marked_as_predicted(predict, tmp_path):
    done = predict("--stages 4 --microbatches 3 --costs costs.json --record out.arrow")
    assert done.returncode == 0, done.stderr
    trace = open_recording(tmp_path / "out.arrow").trace
    assert trace.header.source is Source.PREDICTED
    assert sum(lane.role is Role.COMPUTE for lane in trace.header.lanes) == 4
    assert trace.step_bounds(0) == (0, (4 + 3 - 1) * 6_000_000)


def test_a_prediction_has_a_verdict_as_a_run_has_on_the_step_that_was_asked_for(predict, tmp_path):
    words = "--stages 4 --microbatches 8 --steps 4 --costs costs.json --summary out.json"
    found = []
    for more in ("", "--slow-lane 1:2", "--step 3 --hiccup lane=2,step=3,ms=50 --record a.arrow"):
        done = predict(f"{words} {more}")
        assert done.returncode == 0, done.stderr
        found.append(json.loads((tmp_path / "out.json").read_text())["verdict"])
        assert f"verdict: {found[-1]['text']}" in done.stdout
    assert [(one["kind"], one["where"]) for one in found] == [
        ("schedule", ""), ("slow-lane", "lane 1"), ("hiccup", "step 3 lane 2"),
    ]  # fmt: skip
    kept = verdict(open_recording(tmp_path / "a.arrow").trace)
    assert kept is not None and kept.to_dict() == found[-1]


def test_a_slow_lane_and_a_slow_link_lengthen_the_step(predict):
    words = "--stages 4 --microbatches 8 --costs costs.json"
    said = [predict(f"{words} {more}").stdout for more in ("", "--slow-lane 2:3", "--link 9000:1")]
    steps = [float(text.splitlines()[1].split()[1]) for text in said]
    assert steps[0] == 66 and steps[1] > 2 * steps[0] and steps[2] > steps[0] + 6 * 9


def test_every_fault_lengthens_a_predicted_step_and_is_listed(predict, tmp_path):
    words = "--stages 4 --microbatches 8 --steps 4 --costs costs.json --summary out.json"
    costs = json.dumps({**COSTS, "transfer_ms": 1})
    (tmp_path / "costs.json").write_text(costs)
    hiccup = "--hiccup lane=2,step=2,ms=50"
    asked = ("", "--slow-link 1-2:9", "--slow-kind backward:2", f"--step 2 {hiccup}", hiccup)
    found = []
    for more in (*asked, "--jitter 0.2 --seed 1", "--jitter 0.2 --seed 1 --step 2"):
        done = predict(f"{words} {more}")
        assert done.returncode == 0, done.stderr
        is_struck = more not in ("", hiccup)  # without --step it is step 1 that is predicted
        assert ("injected faults: " in done.stdout) is is_struck
        values = json.loads((tmp_path / "out.json").read_text())
        assert bool(values["injected_faults"]) is is_struck
        found.append(values["makespan_ns"])
    plain, link, kind, struck, spared, jitter, other = found
    assert link > plain and kind > plain and struck == plain + 50_000_000 and spared == plain
    assert len({plain, jitter, other}) == 3
    assert "step 1 is predicted: hiccups of other steps have no effect" in predict(
        f"{words} {hiccup}"
    ).stdout  # fmt: skip


def test_only_hiccups_of_the_predicted_step_are_printed_and_saved(predict, tmp_path):
    done = predict(
        "--stages 4 --microbatches 8 --steps 4 --costs costs.json --step 2 --record a.arrow "
        "--hiccup lane=2,step=2,ms=50 --hiccup lane=1,step=3,ms=70"
    )
    assert "injected faults: hiccup lane=2,step=2,ms=50\n" in done.stdout
    assert "step 2 is predicted: hiccups of other steps have no effect" in done.stdout
    kept = open_recording(tmp_path / "a.arrow").trace.header.specification
    assert kept[HICCUP] == "lane=2,step=2,ms=50"
    refused = predict("--stages 4 --steps 4 --costs costs.json --hiccup lane=9,step=2,ms=50")
    assert "--hiccup lane=9,step=2,ms=50: there are lanes 0 to 3" in refused.stderr


def test_imaginary_devices_are_labelled(predict):
    words = "--stages 2 --microbatches 3 --costs costs.json"
    told = "devices: imagined GPUs, which copy while they compute; --devices chooses others"
    assert told in predict(words).stdout
    assert "imagined" not in predict(f"{words} --devices 2xcpu").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "--stages 4",
            "predict needs --from RECORDING, or --costs FILE, a JSON or TOML file with forward_ms",
        ),
        ("--stages 4 --costs none.json", "--costs none.json cannot be read"),
        (
            "--stages 4 --costs costs.json --slow-lane 1:2 --slow-lane 1:3",
            "--slow-lane 1:2 --slow-lane 1:3: name each lane once",
        ),
        ("--stages 4 --costs costs.json --slow-lane 0:0", "--slow-lane 0:0: use a factor above 0"),
        ("--stages 4 --costs costs.json --slow-lane 1", "--slow-lane '1': use LANE:FACTOR"),
        (
            "--stages 4 --costs costs.json --slow-lane 4:2",
            "--slow-lane 4:2: there are lanes 0 to 3",
        ),
        (
            "--stages 4 --costs costs.json --slow-link 1-4:2",
            "--slow-link 1-4:2: there are lanes 0 to 3",
        ),
        (
            "--stages 4 --costs costs.json --hiccup lane=1,step=6,ms=5",
            "--hiccup lane=1,step=6,ms=5: the measured steps are 1 to 5",
        ),
        ("--stages 4 --costs costs.json --jitter 2", "--jitter 2.0: use 0 or more, at most 1"),
        ("--stages 4 --costs costs.json --slow-kind up:2", "--slow-kind 'up': use scatter"),
        ("--stages 4 --costs costs.json --balance", "--balance: only a run measures"),
        ("--stages 4 --costs costs.json --step 6", "--step 6: the measured steps are 1 to 5"),
        (f"--stages 4 --costs costs.json --slow-lane {10**400}:2", "each number below 10^9"),
        (f"--stages 4 --costs costs.json --link 1:{10**400}", "--link '1:1000"),
        ("--stages 4 --costs costs.json --link 5", "--link '5': use LATENCY_US:GB_S"),
        ("--stages 4 --costs costs.json --link 5:0", "--link 5:0: use a bandwidth above 0 GB/s"),
        ("--strategy dp --stages 4 --costs costs.json", "--stages is not for dp"),
        ("--stages 4 --costs costs.json --image out.bmp", "--image out.bmp: use a name that ends"),
        ("--stages 4 --costs costs.json --summary a/b.json", "there is no folder"),
    ],
)
def test_an_impossible_prediction_is_refused_in_one_line(
    tmp_path, monkeypatch, capsys, words, said
):
    (tmp_path / "costs.json").write_text(json.dumps(COSTS))
    monkeypatch.chdir(tmp_path)
    assert status_of(["predict", *words.split()]) == 2
    told = capsys.readouterr()
    assert said in told.err and told.out == ""
    assert len(told.err.splitlines()) == 1


@pytest.mark.usefixtures("forked_engines")
def test_calibrated_costs_predict_the_plan_that_they_were_measured_for(commands, predict, tmp_path):
    pytest.importorskip("torch")
    words = "--strategy pipeline --schedule zb-h1 --model mlp --width 32 --devices 2xcpu --batch 12"
    more = ["--microbatches", "4", "--costs", "here.json"]
    done = commands.run(tmp_path, ["calibrate", *words.split(), *more])
    assert done.returncode == 0, done.stderr
    assert "measured with all lanes busy" in done.stdout and "backward_input_ms" in done.stdout
    values = json.loads((tmp_path / "here.json").read_text())
    assert values["rows"] == 3 and len(values["forward_ms"]) == 2
    said = predict(f"{words} --microbatches 4 --costs here.json")
    assert said.returncode == 0, said.stderr
    assert "cpu:1" in said.stdout


@pytest.mark.usefixtures("forked_engines")
def test_a_run_prints_its_prediction_next_to_the_measurement(commands, tmp_path):
    pytest.importorskip("torch")
    words = "run --model mlp --width 32 --devices 2xcpu --batch 12 --steps 2 --summary run.json"
    done = commands.run(tmp_path, words.split())
    assert done.returncode == 0, done.stderr
    assert "predicted: " in done.stdout
    told = json.loads((tmp_path / "run.json").read_text())["prediction"]
    assert told["costs"].startswith("measured with all lanes busy")
    assert [step["step"] for step in told["steps"]] == [2, 3] and told["makespan_ns"] > 0
    assert [lane["name"] for lane in told["lanes"]] == ["cpu:0", "cpu:1"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--costs out.toml", "calibrate writes JSON; end the name in .json"),
        ("--costs a/b.json", "there is no folder"),
        ("--costs out.json --schedule nothing", "there is no schedule 'nothing'"),
    ],
)
def test_a_run_that_cannot_be_calibrated_is_refused_in_one_line(commands, words, said, tmp_path):
    done = commands.run(tmp_path, ["calibrate", *words.split()])
    assert done.returncode == 2 and said in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_plan_with_more_stages_than_blocks_is_predicted(tmp_path):
    costs = {"forward_ms": 1, "backward_ms": 2, "step_ms": 1, "transfer_ms": 1, "rows": 8}
    (tmp_path / "costs.json").write_text(json.dumps(costs))
    words = ["predict", "--strategy", "tp", "--model", "gpt"]
    assert status_of([*words, "--costs", str(tmp_path / "costs.json")]) == 0


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    """A folder of another program with 12 steps of a pipeline."""
    folder = tmp_path_factory.mktemp("jobs") / "job"
    write_primus(make_job(JobOptions(steps=12, sends=False, own_clocks=True)), folder)
    return folder


def test_a_replay_is_printed_and_written_with_the_same_figures(job, tmp_path, capsys):
    words = ["predict", "--from", str(job), "--steps", "3-10"]
    assert run_arguments([*words, "--summary", str(tmp_path / "out.json")]) == 0
    printed = capsys.readouterr().out
    values = json.loads((tmp_path / "out.json").read_text())
    assert values["used"] == list(range(3, 11)) and values["unseen"] == [11, 12]
    assert abs(values["error"]) < 0.03
    assert f"step: {values['makespan_ns'] / 1e6:.3g} ms" in printed
    share = round(100 * values["measured_share"])
    low, high = values["low_ns"] / 1e6, values["high_ns"] / 1e6
    assert f"basis: {share} % of the critical path is measured, {100 - share} % is" in printed
    assert f"range: {low:.3g} to {high:.3g} ms" in printed
    assert f"steps 11 to 12 (mean of 2): {values['unseen_ns'] / 1e6:.3g} ms measured" in printed


def test_the_times_of_a_long_step_have_one_unit():
    summary = {
        "from": "job",
        "used": [3, 4],
        "unseen": [5],
        "makespan_ns": 12_340_000_000,
        "unseen_ns": 12_500_000_000,
        "error": -0.013,
        "measured_share": 0.9,
        "low_ns": 900_000_000,
        "high_ns": 13_000_000_000,
    }
    _, *lines = replay_text(summary).splitlines()
    assert lines == [
        "step: 12.3 s",
        "basis: 90 % of the critical path is measured, 10 % is modelled; range: 0.9 to 13 s",
        "step 5: 12.5 s measured (-1.3 %)",
    ]


def test_costs_of_a_trace_predict_another_plan(job, tmp_path, capsys):
    out = tmp_path / "out.json"
    words = ["predict", "--from", str(job), "--steps", "3", "--schedule", "gpipe"]
    assert run_arguments([*words, "--microbatches", "16", "--summary", str(out)]) == 0
    values = json.loads(out.read_text())
    assert values["stages"] == 4 and values["microbatches"] == 16
    assert values["schedule"] == "gpipe" and values["measured_share"] > 0.9
    assert "pipeline gpipe, 4 stages on 4 lanes" in capsys.readouterr().out


MEASURED = PROJECT_ROOT / "resources" / "recordings" / "1f1b-4-virtual-lanes.arrow"
"""A model of 16 blocks, in four stages of four blocks."""


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("--borders 4,8,12", {"borders": "4,8,12"}),
        ("--borders 2,5,12", {"borders": "2,5,12"}),
        ("--borders 8", {"borders": "8"}),
        ("--split-size 4 --batch 32", {"split_size": 4, "batch": 32}),
    ],
)
def test_borders_and_split_sizes_are_predicted_from_a_recording_here_and_in_python(
    words, options, tmp_path, capsys
):
    out = tmp_path / "out.json"
    command = ["predict", "--from", str(MEASURED), *words.split(), "--summary", str(out)]
    assert run_arguments(command) == 0, capsys.readouterr().err
    predicted = bs.predict("pipeline", measured=MEASURED, **options)
    assert json.loads(out.read_text())["makespan_ns"] / 1e6 == predicted.step_ms


def test_the_borders_of_the_recording_are_measured_and_others_are_estimated(tmp_path):
    out = tmp_path / "out.json"
    found = []
    for borders in ("4,8,12", "3,8,12", "3,6,9"):
        words = ["predict", "--from", str(MEASURED), "--borders", borders, "--summary", str(out)]
        assert run_arguments(words) == 0
        found.append(json.loads(out.read_text()))
    own, near, far = found
    assert own["measured_share"] > 0.99 > near["measured_share"] > far["measured_share"]
    same = bs.predict("pipeline", measured=MEASURED)
    assert own["makespan_ns"] / 1e6 == pytest.approx(same.step_ms, rel=0.01)
    # Seven of the blocks are in the last stage then, instead of four.
    busy_ns = [predicted["lanes"][3]["busy_ns"] for predicted in (own, far)]
    assert busy_ns[1] == pytest.approx(7 / 4 * busy_ns[0], rel=0.05)


def test_borders_without_devices_have_a_lane_for_each_stage(predict):
    found = predict("--costs costs.json --borders 1,2,3")
    assert "4 stages on 4 lanes" in found.stdout, found.stderr


def test_another_plan_is_predicted_on_the_devices_of_the_recording(tmp_path, capsys):
    path = tmp_path / "run.arrow"
    record(specification(devices="2xcpu", steps=3), path)
    assert run_arguments(["predict", "--from", str(path), "--schedule", "gpipe"]) == 0
    printed = capsys.readouterr().out
    assert "cpu:0" in printed and "imagined" not in printed and "cuda" not in printed
    words = ["predict", "--from", str(path), "--devices", "2xvirtual"]
    assert run_arguments(words) == 0
    assert "virtual:0" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--steps 3-10 --costs c.json", "--steps 3-10: a range needs --from RECORDING"),
        ("--from JOB --costs c.json", "and --costs c.json both give costs: use one"),
        ("--from JOB --steps 3-40", "--steps 3-40: the run has the measured steps 1 to 12"),
        ("--from JOB --steps 4-3", "--steps 4-3: its last step must not be before its first"),
        ("--from JOB --steps 3-x", "--steps 3-x: use a step or FIRST-LAST"),
        ("--from JOB --image x.png", "--image x.png: only for a plan; choose one, as with"),
        ("--from none", "none: there is no such file"),
        ("--from JOB --borders 1,2,3", "which blocks of the model its stages have, so that"),
        ("", "predict needs --from RECORDING, or --costs FILE, a JSON or TOML file with"),
    ],
)
def test_an_impossible_prediction_is_reported_in_one_line(words, said, job, capsys):
    given = [str(job) if word == "JOB" else word for word in words.split()]
    assert run_arguments(["predict", *given]) == 2
    *_, last = capsys.readouterr().err.splitlines()
    assert last.startswith("bubblescope: ") and said in last


def test_the_basis_of_a_prediction_is_printed_and_written(tmp_path, capsys):
    sizes = [{"rows": 8, "forward_ms": 6}]
    costs = {**COSTS, "rows": 2, "sizes": sizes, "scatter": 0.1}
    (tmp_path / "costs.json").write_text(json.dumps(costs))
    out = tmp_path / "out.json"
    words = ["predict", "--costs", str(tmp_path / "costs.json"), "--summary", str(out)]
    shares = []
    for batch in (8, 16):
        assert run_arguments([*words, "--stages", "2", "--microbatches", "4",
                              "--batch", str(batch)]) == 0  # fmt: skip
        values = json.loads(out.read_text())
        shares.append(values["measured_share"])
        assert "% of the critical path is measured" in capsys.readouterr().out
        assert values["low_ns"] <= 0.9 * values["makespan_ns"] + 1
        assert values["high_ns"] >= 1.1 * values["makespan_ns"] - 1
    # Two rows were measured; four are between two sizes.
    assert shares[0] == 1 and shares[1] == 0
