"""Describes the user's own model, for processes that do not import torch.

python -m core.engine.describe SPECIFICATION    (JSON) prints the description as JSON
"""

from __future__ import annotations

import json
import sys

from core.engine.lifeline import hold_on
from core.engine.workload import build_workload
from core.plan.specification import Specification
from core.plan.task import PlanError


def main() -> None:
    """Print the description, or one line on standard error and status 2."""
    hold_on(int(sys.argv[1]))
    try:
        workload = build_workload(Specification.from_dict(json.loads(sys.argv[2])))
    except PlanError as error:
        sys.exit(f"{error}")
    print(json.dumps(workload.description.to_dict()))


if __name__ == "__main__":
    main()
