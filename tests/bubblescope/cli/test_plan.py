"""The `plan` command: the grid it prints, and the schedule it saves."""

import pytest

from bubblescope.cli.arguments import make_parser
from bubblescope.cli.commands import print_plan
from core.errors import PlanError


def printed(capsys, words):
    """The grid that `python main.py plan` prints."""
    print_plan(make_parser().parse_args(["plan", *words.split()]))
    blocks = capsys.readouterr().out.split("\n\n")
    return next(block for block in blocks if block.startswith("cpu:0"))


def test_wide_cells_widen_their_own_tick_only(capsys):
    text = printed(capsys, "--schedule dualpipe-v --devices 2xcpu --microbatches 4 --depth 4")
    first, second = text.splitlines()
    assert first.startswith(
        "cpu:0  0F0 0F1 0F2 3F0 3I0 3W0 3F1 0F3+3B1 3F2+0B0 3B2     3F3+0B1 3B3"
    )
    assert second.startswith(
        "cpu:1  .   1F0 2F0 1F1 2F1 1F2 2B0 2F2+1B0 1F3+2B1 2F3+1B1 2B2     1B2"
    )


def test_one_lane_is_in_the_singular(capsys):
    print_plan(make_parser().parse_args(["plan", "--strategy", "single", "--devices", "1xcpu"]))
    assert "64 rows on 1 lane\n" in capsys.readouterr().out


def test_a_saved_schedule_is_planned_again_as_it_was(capsys, tmp_path):
    path = tmp_path / "mine.csv"
    options = "--devices 3xcpu --depth 6 --microbatches 6"
    first = printed(capsys, f"--schedule interleaved-zb {options} --csv {path}")
    assert path.read_text().startswith("0F0,0F1,0F2,3F0,")
    assert printed(capsys, f"--schedule {path} --devices 3xcpu --depth 6") == first
    assert [file.name for file in tmp_path.iterdir()] == ["mine.csv"]


def test_a_plan_that_is_no_schedule_is_not_saved(capsys, tmp_path):
    path = tmp_path / "mine.csv"
    with pytest.raises(PlanError, match="a CSV schedule cannot express 0F"):
        printed(capsys, f"--strategy dp --devices 2xcpu --csv {path}")
    assert not path.exists()
    with pytest.raises(PlanError, match=r"--csv .*: there is no folder"):
        printed(capsys, f"--devices 2xcpu --csv {tmp_path}/none/mine.csv")


MODEL = """
import os, sys, threading, time, torch
def build():
    {does}
    return [torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)]
def batch(rows, generator):
    return torch.zeros(rows, 2), torch.zeros(rows, 2)
"""


@pytest.mark.parametrize(
    "does",
    [
        r"sys.stdout.buffer.write(b'\xff\xfe\n'); sys.stdout.flush()",
        "threading.Thread(target=time.sleep, args=(300,)).start()",
    ],
)
def test_output_and_leftovers_of_a_model_are_not_part_of_its_plan(capsys, tmp_path, does):
    pytest.importorskip("torch")
    (tmp_path / "mine.py").write_text(MODEL.format(does=does))
    assert printed(capsys, f"--model {tmp_path}/mine.py --devices 2xcpu").startswith("cpu:0")


def test_a_model_that_ends_its_process_is_named(tmp_path):
    pytest.importorskip("torch")
    (tmp_path / "mine.py").write_text(MODEL.format(does="os._exit(0)"))
    words = ["plan", "--model", f"{tmp_path}/mine.py", "--devices", "2xcpu"]
    with pytest.raises(PlanError, match=r"mine\.py': the engine process ended with status 0"):
        print_plan(make_parser().parse_args(words))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--balance", "--balance: "),
        ("--lane-memory 100", "--lane-memory 100: "),
        ("--balance --lane-memory 100", "--balance: "),
    ],
)
def test_a_balance_of_measured_times_is_refused_where_nothing_is_measured(words, said):
    given = make_parser().parse_args(["plan", "--devices", "2xcpu", *words.split()])
    with pytest.raises(PlanError) as error:
        print_plan(given)
    assert str(error.value).startswith(said) and "use --borders, such as 3,7" in str(error.value)
