"""Recordings of two ranks that never ran, as the recorder writes them."""

from core.recorder import stream
from core.recorder.rank_step import FIRST_TRACK, Op, rank_lanes, timed_step

MS = 1_000_000


def write_rank(
    folder,
    rank,
    steps,
    clocks,
    origin,
    begin=0,
    outcome=None,
    loss=None,
    world=2,
    late=None,
    group="",
):
    """A rank's recording: a forward of 1 ms (2 ms on rank 1), an all-reduce to 4 ms, an update.

    `loss` gives what is told of a step once it is over, `late` how many ms more than 1 the forward
    takes, `group` the name of the collective's group.
    """
    header = {
        "specification": {"warmup": 1},
        "model": {"name": "Net", "blocks": [], "input_bytes": 0},
        "lanes": rank_lanes(rank, "cpu"), "replicas": world, "origin_ns": origin,
        "started": "", "hardware": {"rank": rank, "ranks": world}, "versions": {},
        "format": stream.FORMAT,
    }  # fmt: skip
    sender = stream.Sender(lambda: (folder / f"rank-{rank}.arrow").open("wb"))
    sender.start(header)
    for at, ahead, half in clocks:
        told = stream.note_row("clock", f"rank {rank}", at - origin, 0, half, str(ahead))
        sender.hand_in(lambda write, told=told: write(told))
    for step in steps:
        at = origin + begin + 10 * MS * step
        came = at + (1 + (rank if late is None else late)) * MS
        ops = [
            Op("forward", at, came, 0, "layer", 4),
            Op("all-reduce", came, at + 4 * MS, 0, group, bytes=64, lane=FIRST_TRACK),
            Op("step", at + 4 * MS, at + 5 * MS),
        ]
        told = timed_step(ops, rank, 2)
        plan = [stream.plan_row(0, told.tasks)] if step == steps[0] else []
        for batch in [*plan, stream.step_rows(0, step, told, origin)]:
            sender.hand_in(lambda write, batch=batch: write(batch))
        if loss is not None:
            told = stream.note_row("counter", "loss", at + 6 * MS - origin, step, loss(step))
            sender.hand_in(lambda write, told=told: write(told))
    if outcome is not None:
        end = stream.note_row("log", "state", begin + 10 * MS * len(steps), text=outcome)
        sender.hand_in(lambda write: write(end))
    sender.close()


def two_ranks(folder, ahead=(0, 0), steps=(range(3), range(3)), outcome=None, losses=(None, None)):
    """Two ranks that begin together on rank 0's clock, which goes as far ahead as is given."""
    write_rank(folder, 0, steps[0], [(1000, 0, 0.0)], 1000, outcome=outcome, loss=losses[0])
    origin = 1000 - ahead[0]
    clocks = [(origin, ahead[0], 40.0), (origin + 100 * MS, ahead[1], 90.0)]
    told = clocks if ahead != (0, 0) else []
    write_rank(folder, 1, steps[1], told, origin, outcome=outcome, loss=losses[1])


def grouped_ranks(folder, late, groups):
    """Ranks that meet in groups, on one clock; each forward takes `late` ms more than 1."""
    for rank, (ms, group) in enumerate(zip(late, groups, strict=True)):
        clocks = [(1000, 0, 0.0)]
        write_rank(folder, rank, range(3), clocks, 1000, world=len(late), late=ms, group=group)
