"""No command replaces a file that it reads, under whatever name it is given."""

import argparse
import json
import os
import shutil

import pytest

from bubblescope.cli.arguments import make_parser
from bubblescope.cli.parser import FILES
from bubblescope.cli.start import run_arguments
from core.errors import PlanError
from core.files import ENDINGS, OUTPUTS, check_outputs
from core.plan.specification import OPTIONS
from tests.make_believe import record, specification

pytest.importorskip("torch")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Recordings under names that outputs may have, costs, and links to them."""
    monkeypatch.chdir(tmp_path)
    record(specification(steps=2), tmp_path / "r.csv")
    for name in ("r.json", "r.png", "r.html", "r.parquet", "r.arrow", "r.gif"):
        shutil.copy("r.csv", name)
    (tmp_path / "ranks").mkdir()
    shutil.copy("r.csv", "ranks/rank-0.arrow")
    costs = {"forward_ms": 1, "backward_ms": 1, "step_ms": 1, "transfer_ms": 1, "rows": 8}
    (tmp_path / "c.json").write_text(json.dumps(costs))
    (tmp_path / "model.py").write_text("import torch\nmodel = torch.nn.Linear(4, 4)\n")
    (tmp_path / "order.csv").write_text("0F0,0B0\n1F0,1B0\n")
    (tmp_path / "model.json").symlink_to("model.py")
    (tmp_path / "model.png").symlink_to("model.py")
    (tmp_path / "link.csv").symlink_to("r.csv")
    os.link("r.csv", "hard.csv")
    (tmp_path / "there").symlink_to(tmp_path)
    return tmp_path


COMMANDS = [
    "export r.csv --table r.csv",
    "export r.csv --table ./r.csv",
    "export r.csv --table link.csv",
    "export link.csv --table r.csv",
    "export r.csv --table hard.csv",
    "export r.csv --table there/r.csv",
    "export r.json --trace r.json",
    "export r.png --image r.png",
    "export r.arrow r.png --image r.png",
    "export r.html --report r.html",
    "sql r.csv FROM+steps --csv r.csv",
    "sql r.csv FROM+steps --csv link.csv",
    "compare r.json r.csv --summary r.json",
    "compare r.csv r.json --summary r.json",
    "compare r.png r.csv --image r.png",
    "predict --strategy pipeline --costs c.json --summary c.json",
    "predict --strategy pipeline --costs c.json --record c.json",
    "predict --from r.json --summary r.json",
    "predict --from r.arrow --record r.arrow --strategy pipeline --devices 4xvirtual",
    "predict --from ranks --summary ranks/rank-0.arrow",
    "slowdown r.csv --csv r.csv",
    "gate r.csv r.arrow --markdown r.arrow",
    "export r.arrow --with r.gif --animation r.gif",
    "plan --schedule order.csv --devices 2xvirtual --csv order.csv",
    "calibrate --model model.py --devices 2xvirtual --costs model.json",
    "sweep --model mlp;model.py --strategy dp --devices 2xvirtual --image model.png",
    "run --model model.py --summary model.py --devices 2xcpu",
    "export ranks --table ranks/rank-0.arrow",
]


DASHES = [
    "export r.arrow --table -",
    "export r.arrow --kineto -",
    "sql r.arrow FROM+steps --csv -",
    "compare r.arrow r.csv --summary -",
    "run --devices 2xvirtual --record -",
    "sweep --devices 2xvirtual --csv -",
    "record --out - -- python",
    "listen --out -",
]


@pytest.mark.parametrize("line", DASHES)
def test_a_dash_is_not_taken_for_the_name_of_an_output(line, folder, capsys):
    before = contents(folder)
    assert run_arguments([word.replace("+", " ") for word in line.split()]) == 2
    out, err = capsys.readouterr()
    (error,) = err.splitlines()
    assert out == "" and " -: " in error and "./-" in error
    assert contents(folder) == before


@pytest.mark.parametrize("line", COMMANDS)
def test_an_output_that_is_an_input_is_refused_and_left_as_it_is(line, folder, capsys):
    before = contents(folder)
    assert run_arguments([word.replace("+", " ") for word in line.split()]) == 2
    out, err = capsys.readouterr()
    assert err.count("\n") == 1 and not out
    if "rank-0" not in line:  # its name is refused before, as no table's
        assert "that file is an input; name another file" in err
    assert contents(folder) == before


def every_input_and_output():
    """Each pair of an argument that names an input and an option that names an output."""
    (commands,) = (a for a in make_parser()._actions if isinstance(a, argparse._SubParsersAction))
    own_files = {option.name for option in OPTIONS if option.suffix}
    for command, parser in commands.choices.items():
        if command == "calibrate":  # its --costs is the output
            continue
        outputs = [action.dest for action in parser._actions if action.dest in OUTPUTS]
        for action in parser._actions:
            is_path = action.metavar in (*FILES, "FOLDER") or action.dest in own_files
            if is_path and action.dest not in OUTPUTS:
                for output in outputs:
                    yield command, action.dest, output


@pytest.mark.parametrize(("command", "argument", "output"), list(every_input_and_output()))
def test_no_argument_that_names_an_input_is_forgotten(command, argument, output, tmp_path):
    (ending, *_) = ENDINGS.get(output, ("",))
    file = tmp_path / f"input{ending}"
    file.touch()
    given = {argument: str(file), output: str(file)}
    with pytest.raises(PlanError, match=r"that file is an input|that already exists"):
        check_outputs(given)


def test_outputs_that_are_one_file_are_refused(folder, capsys):
    before = contents(folder)
    (folder / "one.html").symlink_to("both.html")
    line = ["compare", "r.arrow", "r.csv", "--report", "one.html", "--summary", "both.html"]
    assert run_arguments(line) == 2
    assert "is named for two outputs" in capsys.readouterr().err
    (folder / "one.html").unlink()
    assert contents(folder) == before


def test_an_output_next_to_the_inputs_is_written(folder):
    assert run_arguments(["export", "r.csv", "--table", "other.csv"]) == 0
    assert run_arguments(["sql", "r.csv", "FROM steps", "--csv", "/dev/null"]) == 0
    assert (folder / "other.csv").stat().st_size > 100


def contents(folder):
    return {
        path.name: (path.read_bytes(), path.is_symlink())
        for path in folder.iterdir()
        if path.is_file()
    }
