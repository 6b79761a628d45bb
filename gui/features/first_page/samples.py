"""Sample recordings and presets that are shipped with the app."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

from core.machine import host_hardware
from core.message import N_
from core.paths import RESOURCES
from core.plan.planning import lanes_of
from core.plan.specification import Specification

RECORDINGS = RESOURCES / "recordings"
PRESETS = RESOURCES / "presets"


@dataclass(frozen=True, slots=True)
class Sample:
    """A shipped recording, with its title and one line on its content."""

    file: str
    title: str
    line: str

    @property
    def path(self) -> Path:
        """The path of the recording."""
        return RECORDINGS / self.file


PIPELINE = Sample(
    "1f1b-4-virtual-lanes.arrow",
    N_("Pipeline, 1F1B, on 4 virtual lanes"),
    N_(
        "Micro-batches walk down the stages and back; lanes wait while the pipeline "
        "fills and drains."
    ),
)
DATA_PARALLEL = Sample(
    "dp-8-virtual-lanes.arrow",
    N_("Data parallel on 8 virtual lanes"),
    N_("Lane 0 also scatters, gathers and reduces; the others wait for it."),
)
DISTRIBUTED = Sample(
    "ddp-8-virtual-lanes.arrow",
    N_("DDP on 8 virtual ranks"),
    N_("Gradients are all-reduced bucket by bucket while the backward pass still runs."),
)
REAL = Sample(
    "1f1b-2-cpu-lanes.arrow",
    N_("Pipeline, 1F1B, on 2 CPU lanes"),
    N_("The same schedule on two real cores, with real copies and real host code between tasks."),
)
SAMPLES = (PIPELINE, DATA_PARALLEL, DISTRIBUTED, REAL)


def preset(name: str) -> Specification:
    """Return the settings in `resources/presets/NAME.json`; virtual if there are too few cores."""
    path = PRESETS / f"{name}.json"
    made = Specification.from_dict(json.loads(path.read_text()))
    lanes = lanes_of(made, host_hardware())
    if lanes[0].sharing:
        return replace(made, devices=f"{len(lanes)}xvirtual")
    return made
