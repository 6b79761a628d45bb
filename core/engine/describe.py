"""Describes the user's own model, for processes that do not import torch.

python -m core.engine.describe SPECIFICATION    (JSON) prints the description as JSON
"""

from __future__ import annotations

import json
import os
import sys

from core.engine.lifeline import hold_on
from core.engine.workload import build_workload
from core.plan.specification import Specification
from core.plan.task import PlanError


def main() -> None:
    """Print the description, or one line on standard error and status 1.

    What the user's model prints goes to standard error, and threads that it leaves are not waited
    for.
    """
    hold_on(int(sys.argv[1]))
    told = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        workload = build_workload(Specification.from_dict(json.loads(sys.argv[2])))
    except PlanError as error:
        print(error, file=sys.stderr, flush=True)
        os._exit(1)
    with os.fdopen(told, "w") as file:
        json.dump(workload.description.to_dict(), file)
    os._exit(0)


if __name__ == "__main__":
    main()
