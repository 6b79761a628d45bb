"""Settings of a sweep in words."""

from bubblescope.api.sweep_text import setting_text
from core.plan.specification import Specification
from core.sweep.sweep import Sweep


def test_a_sweep_in_which_nothing_varies_names_its_strategy():
    run = Specification(strategy="single")
    assert setting_text(Sweep(run), run) == "single"
