"""The page about Python has everything that the interface has."""

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
