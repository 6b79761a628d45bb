"""Messages of core in the window's language: every text in them is translated, at any depth."""

from __future__ import annotations

import re
from collections.abc import Iterator
from gettext import NullTranslations
from pathlib import Path

import pytest

from core.compare.gate import judge
from core.errors import PlanError
from core.lessons.lesson import read_lesson
from core.lessons.text import LessonError
from core.message import Message, Text, error_message
from core.models.catalogue import ModelSettings
from core.plan.planning import check
from core.plan.specification import Specification, describe
from core.predict.whatif import WhatIf, WhatIfQuery
from core.predict.worker.server import refusal
from core.report.verdict import verdict
from gui.app.language import LOCALES
from gui.look.catalogue import load_catalogue, use_catalogue
from gui.look.core_texts import translated
from tests.core.compare.gated import Machine, Slowdown, pipeline, run_of
from tests.core.predict.plans import even
from tests.gui.catalogues import read_catalogue, translations
from tests.gui.marks import Marked, is_bare

MODEL = describe(Specification(model=ModelSettings("mlp", width=64, depth=8)))
FLAGS = re.compile(r"--[a-z-]+")
THREE_WORDS = re.compile(r"(?=(?<![\w-])([A-Za-z]+ [A-Za-z]+ [A-Za-z]+)(?![\w-]))")
PROGRAMS = {"Holistic Trace Analysis"}


@pytest.fixture(autouse=True)
def marks() -> Iterator[None]:
    """Put every text in marks."""
    use_catalogue(Marked())
    yield
    use_catalogue(NullTranslations())


def is_translated(text: Text) -> bool:
    """Return True if a text is a message, and all its words are from the catalogue."""
    return isinstance(text, Message) and not is_bare(FLAGS.sub(" ", translated(text)))


@pytest.mark.parametrize("locale", LOCALES.values())
def test_no_three_words_of_a_text_stay_english(locale: str) -> None:
    kept = set()
    for message in read_catalogue(locale):
        texts = (message.id,) if isinstance(message.id, str) else message.id
        for text in texts:
            words = set(THREE_WORDS.findall(text))
            for other in translations(message):
                kept |= {some for some in words if some in other}
    assert kept - PROGRAMS == set()


def test_plain_text_is_not_changed() -> None:
    assert translated("no space left on device") == "no space left on device"


@pytest.mark.parametrize(
    "given",
    [
        {"strategy": "dp", "microbatches": 2},
        {"microbatches": 2, "split_size": 2},
        {"steps": 0},
        {"batch": 0},
        {"lane_memory": 1.0},
        {"jitter": 2.0},
        {"slow_lane": "two"},
        {"link": "fast"},
        {"model": ModelSettings("mlp", heads=2)},
    ],
    ids=lambda given: next(iter(given)),
)
def test_a_refused_specification_is_translated(given: dict[str, object]) -> None:
    with pytest.raises(PlanError) as refused:
        check(Specification(**given))
    assert is_translated(error_message(refused.value))


@pytest.mark.parametrize(
    "asked",
    [
        {"microbatches": 32_000, "devices": 64},
        {"batch": 1, "microbatches": 2},
        {"costs": even(), "schedule": "interleaved", "microbatches": 7, "devices": 3},
    ],
    ids=["passes", "rows", "rounds"],
)
def test_a_refused_prediction_is_translated(asked: dict[str, object]) -> None:
    question = {
        "model": MODEL, "costs": even(), "devices": 4, "microbatches": 8, "schedule": "1f1b",
    }  # fmt: skip
    with pytest.raises(PlanError) as refused:
        WhatIf().answer(WhatIfQuery(**question | asked))
    assert is_translated(refusal(1, refused.value).text)


def test_a_failed_prediction_is_translated() -> None:
    text = refusal(1, RuntimeError("lost")).text
    assert translated(text) == "⟦the prediction failed: RuntimeError: lost⟧"


def test_a_verdict_is_translated() -> None:
    found = verdict(run_of(pipeline(10, slow_lane="1:2"), Machine(scatter=0.001), 1))
    assert found is not None and "Lane 1 is a straggler" in str(found.text)
    assert is_translated(found.text)


def test_the_sentence_of_a_gate_is_translated() -> None:
    run, machine = pipeline(10), Machine(scatter=0.002)
    before, after = run_of(run, machine, 1), run_of(run, machine, 2, Slowdown((), 1.2, lane=2))
    gate = judge(before, after)
    assert "computing on virtual:2 costs " in str(gate.sentence)
    assert is_translated(gate.sentence)


def test_errors_of_a_lesson_are_translated(tmp_path: Path) -> None:
    path = tmp_path / "mine.md"
    path.write_text("---\ntitle: Mine\n---\n\n## One\n\nText.\n\n    --steps 0\n", "utf-8")
    with pytest.raises(LessonError, match=r"mine\.md, line 9: --steps 0: use 1") as refused:
        read_lesson(path)
    assert translated(error_message(refused.value)).count("⟦") == 2


def test_a_message_is_translated_into_a_real_language() -> None:
    use_catalogue(load_catalogue("zh_CN"))
    with pytest.raises(PlanError) as refused:
        check(Specification("dp", microbatches=2))
    expected = "--microbatches 不适用于 dp；它适用于 pipeline 或 dp-pp"
    assert translated(error_message(refused.value)) == expected
