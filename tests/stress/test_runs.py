"""Runs on busy cores lose nothing, and the check of the invariants detects losses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

pytest.importorskip("torch")

from tests.make_believe import record, specification
from tests.stress.invariants import violations
from tests.stress.runs import stress

LOOPS = 2
STEPS = 3


def test_runs_on_busy_cores_record_every_task_once_in_order_and_in_time(stress_runs: int) -> None:
    results = list(stress(range(3 * stress_runs), seed=1, loops=LOOPS))
    assert len(results) == 3 * stress_runs
    assert [result for result in results if result["found"]] == []


def rewritten(path: Path, change: Callable[[list[dict]], list[dict]]) -> list[str]:
    """Return the violations found in a complete run whose rows were changed."""
    record(specification("dp", steps=STEPS, warmup=0), path)
    assert violations(path, STEPS) == []
    table = pa.ipc.open_stream(path.read_bytes()).read_all()
    changed = pa.Table.from_pylist(change(table.to_pylist()), schema=table.schema)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(changed)
    return [text.partition(":")[0] for text in violations(path, STEPS)]


def span(rows: list[dict], place: int = 20) -> dict:
    return [row for row in rows if row["record"] == "span"][place]


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda rows: [row for row in rows if row is not span(rows)], {"lost"}),
        (lambda rows: [*rows, span(rows)], {"repeated", "order"}),
        (lambda rows: [*rows, {**span(rows), "record": "open", "end": None}], {"ghost"}),
        (lambda rows: [row for row in rows if row["step"] != 1 or row["record"] != "span"],
         {"lost", "ghost"}),
        (lambda rows: [{**row, "start": row["start"] - 10**9} if row is span(rows) else row
                       for row in rows], {"order", "early"}),
        (lambda rows: [{**row, "plan": 0, "task": 0} if row is span(rows) else row for row in rows],
         {"lost", "repeated"}),
    ],
)  # fmt: skip
def test_a_fault_that_is_put_into_a_recording_is_detected(
    change: Callable[[list[dict]], list[dict]], found: set[str], tmp_path: Path
) -> None:
    assert found <= set(rewritten(tmp_path / "run.arrow", change))
