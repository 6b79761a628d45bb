"""The text that the command `plan` prints."""

from __future__ import annotations

from bubblescope.cli.report import table
from core.models.description import ModelDescription
from core.plain import size_text
from core.plan.grid import grid
from core.plan.plan import Plan


def plan_text(plan: Plan, model: ModelDescription, title: str, tasks: bool) -> str:
    """Return the text: the split of the rows, stages, schedule, and with `tasks` every task."""
    blocks = [title, f"rows: {_split_text(plan)}"]
    stage_rows = []
    for stage in plan.stages:
        name = f"stage {stage.index}"
        model_blocks = f"blocks {stage.first} to {stage.last - 1}"
        if stage.shards > 1:
            # The size is that of one shard.
            model_blocks += f", over {stage.shards} lanes"
        size = size_text(stage.parameter_bytes(model))
        stage_rows.append((name, model_blocks, size))
    blocks.append(table(("stage", "blocks", "parameters"), stage_rows))
    blocks.append(_grid_text(plan))
    if tasks:
        blocks.append(_tasks_table(plan))
    count = len(plan.tasks)
    moved = sum(task.bytes for task in plan.tasks)
    blocks.append(f"{count} tasks, {size_text(moved)} moved a step")
    return "\n\n".join(blocks)


def _tasks_table(plan: Plan) -> str:
    rows = []
    for task in plan.tasks:
        row = (
            task.index,
            str(task),
            f"{task.kind} {task.payload}".strip(),
            plan.lanes[task.lane].name,
            task.rows,
            size_text(task.bytes),
            " ".join(map(str, task.after)),
        )
        rows.append(row)
    return table(("task", "action", "kind", "lane", "rows", "bytes", "after"), rows)


def _split_text(plan: Plan) -> str:
    """Return the rows of each micro-batch of each replica: `30 = 8+7 | 8+7`."""
    by_replica: list[list[str]] = [[] for _ in range(plan.replicas)]
    for part in plan.parts:
        rows = by_replica[part.replica]
        rows.append(str(part.rows))
    texts = ["+".join(rows) or "0" for rows in by_replica]
    split = " | ".join(texts)
    return f"{plan.rows} = {split}"


def _grid_text(plan: Plan) -> str:
    """Return the schedule as a grid, with a line for each lane that computes."""
    names = []
    rows = []
    for lane, cells in zip(plan.lanes, grid(plan), strict=False):
        if cells:
            names.append(lane.name)
            rows.append(cells)
    widths = []
    for cells_of_tick in zip(*rows, strict=True):
        widths.append(max(map(len, cells_of_tick)))
    name_width = max(map(len, names))
    lines = []
    for name, cells in zip(names, rows, strict=True):
        padded_name = name.ljust(name_width)
        padded_cells = " ".join(map(str.ljust, cells, widths))
        line = f"{padded_name}  {padded_cells}"
        lines.append(line.rstrip())
    return "\n".join(lines)
