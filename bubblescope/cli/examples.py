"""Examples of every command, for its help and the docs."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[str, ...]] = {
    "devices": ("devices", "devices --on me@gpu-host"),
    "check": ("check", "check --json", "check --full --folder this-machine"),
    "plan": (
        "plan --strategy pipeline --schedule zb-h1 --devices 4xvirtual",
        "plan --strategy pipeline --schedule 1f1b --csv my-schedule.csv",
    ),
    "run": (
        "run --strategy pipeline --schedule 1f1b --microbatches 8 --image run.png",
        "run --strategy ddp --devices 8xvirtual --link pcie4 --record run.arrow",
        "run --strategy fsdp --devices 2xcpu --launcher torchrun --record runs",
    ),
    "sweep": ("sweep --strategy pipeline --split-size 1,2,4,8 --csv sweep.csv --image sweep.png",),
    "lesson": ("lesson", "lesson 1"),
    "predict": ("predict --strategy pipeline --stages 8 --costs costs.json --image predicted.svg",),
    "calibrate": ("calibrate --strategy pipeline --devices 2xcpu --costs costs.json",),
    "export": (
        "export run.arrow --report run.html",
        "export run.arrow --trace run.json.gz",
        "export dp.arrow ddp.arrow --image both.pdf --figure two-column",
    ),
    "summary": ("summary run.arrow",),
    "slowdown": ("slowdown run.arrow", "slowdown traces-of-ranks --axes DP,PP --csv slowdown.csv"),
    "sql": ('sql run.arrow "SELECT cause, sum(duration_ns) FROM idle GROUP BY cause"',),
    "compare": ("compare a.arrow b.arrow --image both.svg",),
    "gate": (
        "gate main.arrow new.arrow --fail-over 3%",
        'gate baselines runs/gpt.arrow --assert "bubble<20%" --markdown gate.md --junit gate.xml',
    ),
    "open": ("open run.arrow", "open runs"),
    "listen": (
        "listen --address 127.0.0.1:7070 --out runs",
        "listen --on me@gpu-host --out runs",
    ),
    "push": ("push me@gpu-host", "push me@gpu-host --python /opt/conda/bin/python"),
    "engine": ("engine",),
    "record": ("record --out runs -- torchrun --nproc-per-node 2 train.py",),
}
"""Example arguments of `bubblescope`, by command."""


def examples_of(command: str) -> str:
    """Return the examples of a command's help. Raises KeyError if there are none."""
    return "\n".join(["examples:", *(f"  bubblescope {line}" for line in EXAMPLES[command])])
