"""Describes the user's own model, for processes that do not import torch.

    python -m core.engine.describe WIRE LIFELINE SPECIFICATION    (descriptors, and JSON)

The answer is JSON: the description, or {"refused": one line}.
"""

from __future__ import annotations

import json
import os
import sys

from core.engine.models.workload import build_workload
from core.plan.specification import Specification
from core.plan.task import PlanError
from core.process.lifeline import hold_on, keep


def main() -> None:
    """Write the answer to the wire, and end whatever threads the model has left."""
    wire, lifeline = map(int, sys.argv[1:3])
    hold_on(lifeline)
    wire = keep(wire)
    try:
        workload = build_workload(Specification.from_dict(json.loads(sys.argv[3])))
        answer = workload.description.to_dict()
    except PlanError as error:
        answer = {"refused": str(error)}
    with os.fdopen(wire, "w") as file:
        json.dump(answer, file)
    os._exit(0)


if __name__ == "__main__":
    main()
