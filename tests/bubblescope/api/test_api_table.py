"""The page about Python has everything that the interface has, and everything has a test."""

import ast
import functools
import re

import pytest

import bubblescope as bs
from core.paths import PROJECT_ROOT

PAGE = (PROJECT_ROOT / "docs" / "python.md").read_text("utf-8")
TABLES = "\n".join(line for line in PAGE.splitlines() if line.startswith("|"))
FUNCTIONS = ("compare", "gate", "open", "predict", "record", "run", "sweep")


def test_the_names_of_the_package_are_functions_classes_and_integrations() -> None:
    classes = {"BubblescopeError", "Comparison", "Run", "SweepResults"}
    assert set(bs.__all__) == {*FUNCTIONS, *classes, "integrations"}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_table_has_every_function(name: str) -> None:
    assert f"`bs.{name}(" in TABLES


@pytest.mark.parametrize("kind", ["Run", "Comparison", "SweepResults"])
def test_the_tables_have_every_member(kind: str) -> None:
    named = set(re.findall(r"\w+", TABLES))
    members = {name for name in vars(getattr(bs, kind)) if not name.startswith("_")}
    fields = {"trace", "two", "runs", "results"}  # values of other packages, for experts
    assert members - fields - named == set()


def test_the_table_has_every_callback() -> None:
    for name in bs.integrations.__all__:
        assert name in TABLES


INTERFACE, SWEEP = "bubblescope/api/test_interface.py", "bubblescope/api/test_sweep.py"
OTHER_MACHINE = "bubblescope/api/test_other_machine.py"
RECORDINGS = "bubblescope/api/test_recordings.py"
FIGURES = "test_a_run_has_the_figures_of_its_summary"
SAVED = "test_a_saved_run_opens_with_the_same_figures"
TRAINED = "bubblescope/integrations/test_integrations.py"
SAME_LOSSES = "test_losses_are_the_same_with_and_without"
DECISION = "test_an_update_that_fails_takes_no_later_step_away"
FAILED = "test_a_setting_that_failed_is_the_warning"
TESTS = (
    ("run", INTERFACE, "test_a_thread_may_run"),
    ("run", OTHER_MACHINE, "test_runs_and_sweeps_are_made_there_and_kept_here"),
    ("open", INTERFACE, SAVED),
    ("predict", INTERFACE, "test_a_plan_is_predicted_from_a_run"),
    ("sweep", OTHER_MACHINE, "test_runs_and_sweeps_are_made_there_and_kept_here"),
    ("sweep", SWEEP, "test_a_table_that_has_all_runs_is_not_run_again"),
    ("compare", INTERFACE, SAVED),
    ("gate", INTERFACE, SAVED),
    ("record", "core/recorder/test_decisions.py", DECISION),
    ("BubblescopeError", INTERFACE, "test_bad_input_is_one_line"),
    ("integrations", TRAINED, SAME_LOSSES),
    ("integrations.HFCallback", TRAINED, SAME_LOSSES),
    ("integrations.LightningCallback", TRAINED, SAME_LOSSES),
    ("Run", INTERFACE, FIGURES),
    ("Run.trace", INTERFACE, FIGURES),
    ("Run.warning", INTERFACE, SAVED),
    ("Run.summary", INTERFACE, SAVED),
    ("Run.verdict", INTERFACE, FIGURES),
    ("Run.median", INTERFACE, FIGURES),
    ("Run.step_ms", INTERFACE, FIGURES),
    ("Run.bubble", INTERFACE, FIGURES),
    ("Run.steps", INTERFACE, FIGURES),
    ("Run.spans", INTERFACE, "test_spans_and_idle_time_are_tables_that_other_libraries_read"),
    ("Run.idle", INTERFACE, "test_spans_and_idle_time_are_tables_that_other_libraries_read"),
    ("Run.figure", INTERFACE, "test_figures_and_reports_are_files"),
    ("Run.report", INTERFACE, "test_figures_and_reports_are_files"),
    ("Run.save", INTERFACE, SAVED),
    ("Run.show", RECORDINGS, "test_a_window_shows_the_run"),
    ("Comparison", RECORDINGS, "test_the_reasons_of_a_comparison_add_up"),
    ("Comparison.text", INTERFACE, SAVED),
    ("Comparison.difference_ms", INTERFACE, SAVED),
    ("Comparison.figure", INTERFACE, "test_figures_and_reports_are_files"),
    ("Comparison.reasons", RECORDINGS, "test_the_reasons_of_a_comparison_add_up"),
    ("Comparison.two", RECORDINGS, "test_the_reasons_of_a_comparison_add_up"),
    ("Comparison.runs", RECORDINGS, "test_the_reasons_of_a_comparison_add_up"),
    ("SweepResults", SWEEP, "test_the_results_are_a_table"),
    ("SweepResults.text", SWEEP, "test_the_results_are_a_table"),
    ("SweepResults.fastest", SWEEP, "test_the_results_are_a_table"),
    ("SweepResults.table", SWEEP, "test_the_results_are_a_table"),
    ("SweepResults.figure", SWEEP, "test_the_picture_is_a_file"),
    ("SweepResults.results", SWEEP, FAILED),
    ("SweepResults.warning", SWEEP, FAILED),
)
"""The tests of each public name: the file under tests, and the function."""
SCRIPTS = {
    "integrations.HFCallback": "train_hf.py",
    "integrations.LightningCallback": "train_lightning.py",
}
"""Scripts that the tests of the trainers start."""


def public_names() -> set[str]:
    """Names of the package, of the members of its classes, and of its callbacks."""
    names = set(bs.__all__)
    for kind in (bs.Run, bs.Comparison, bs.SweepResults):
        members = {*vars(kind), *kind.__dataclass_fields__}
        names |= {f"{kind.__name__}.{name}" for name in members if not name.startswith("_")}
    names |= {f"integrations.{name}" for name in bs.integrations.__all__}
    return names


def test_every_public_name_has_a_test() -> None:
    assert {name for name, _, _ in TESTS} == public_names()


@functools.cache
def sources(path: str) -> dict[str, str]:
    """Source of each function of a test file."""
    text = (PROJECT_ROOT / "tests" / path).read_text("utf-8")
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = ast.get_source_segment(text, node) or ""
    return found


@pytest.mark.parametrize(("name", "path", "function"), TESTS)
def test_the_test_of_a_name_uses_it(name: str, path: str, function: str) -> None:
    source = sources(path)[function]
    if name in SCRIPTS:
        folder = (PROJECT_ROOT / "tests" / path).parent
        source = (folder / SCRIPTS[name]).read_text("utf-8")
    if name == "integrations":
        return  # its callbacks have rows of their own
    assert re.search(rf"\b{name.rpartition('.')[2]}\b", source)
