"""Options of strategies: declared once, from which everything else follows."""

import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest

from bubblescope.cli.arguments import make_parser
from core.models.catalogue import ModelSettings
from core.option import Option
from core.plan.pipeline.options import CHUNKS, MICROBATCHES, SCHEDULE, STAGES
from core.plan.planning import job_of
from core.plan.specification import OPTIONS, STRATEGY_OPTIONS, Specification, specification_of

ROOT = Path(__file__).resolve().parents[4]

NEW_STRATEGY = """
from dataclasses import replace
from core.option import Option
from core.plan.strategies import STRATEGIES, single
from core.errors import PlanError

TIMES = Option("times_two", int, "How often everything is done.", "once", most=9)
STRATEGIES["often"] = replace(single.STRATEGY, name="often", options=(TIMES,))

from bubblescope.cli.arguments import make_parser
from bubblescope.cli.option_arguments import options_table
from core.plan.planning import check
from core.plan.specification import Specification, specification_of

given = make_parser().parse_args("plan --strategy often --times-two 3".split())
asked = specification_of(vars(given))
assert asked[TIMES] == 3 and asked == Specification("often", times_two=3)
assert Specification.from_dict(asked.to_dict()) == asked
assert asked.to_dict()["times_two"] == 3
check(asked)
for bad, words in ((10, "--times-two 10: use 1 or more, at most 9"), (0, "--times-two 0: use 1")):
    try:
        check(Specification("often", times_two=bad))
    except PlanError as error:
        assert words in str(error), error
    else:
        raise AssertionError(bad)
try:
    check(Specification("dp", times_two=2))
except PlanError as error:
    assert str(error) == "--times-two is not for dp; it is for often"
else:
    raise AssertionError
assert "| `--times-two N` | once | How often everything is done. For often. |" in options_table()
"""
FORM = """
import os
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from PySide6.QtWidgets import QApplication
from gui.features.run.panel import StrategyPanel

app = QApplication([])
form = StrategyPanel()
field = form.fields["times_two"].widget
form.strategies.choose("dp")
assert not form.options.isRowVisible(field)
form.strategies.choose("often")
assert form.options.isRowVisible(field) and field.toolTip() == "How often everything is done."
assert field.text() == "once" and form.specification()[TIMES] is None
field.setValue(4)
assert form.specification()[TIMES] == 4
"""


@pytest.mark.parametrize("code", [NEW_STRATEGY, NEW_STRATEGY + FORM], ids=["commands", "form"])
def test_a_strategys_option_needs_no_other_file(code):
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_every_option_is_a_field_of_its_name_with_its_default():
    for kind in (Specification, ModelSettings):
        for field in fields(kind):
            if (option := field.metadata.get(Option)) is not None:
                assert field.default == option.default
                assert field.name == option.name or (field.name, option.name) == ("name", "model")
    assert len({option.name for option in OPTIONS}) == len(OPTIONS)
    assert set(STRATEGY_OPTIONS) <= set(OPTIONS)


def test_every_option_is_an_argument_whose_default_is_that_of_the_specification():
    assert specification_of(vars(make_parser().parse_args(["run"]))) == Specification()
    assert specification_of(vars(make_parser().parse_args(["plan"]))) == Specification()
    assert specification_of({}) == Specification()


def test_a_job_has_the_options_that_were_asked_for():
    run = Specification(stages=3, microbatches=7, schedule="gpipe")
    job = job_of(run, None, [], 14)
    assert (job[STAGES], job[MICROBATCHES], job[CHUNKS]) == (3, 7, None)
    assert job.schedule.name == job[SCHEDULE] == "gpipe"
    assert replace(job, rows=7)[STAGES] == 3
    assert run.having(stages=None)[STAGES] is None and run[STAGES] == 3
