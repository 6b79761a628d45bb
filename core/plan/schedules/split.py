"""PyTorch's model-parallel tutorial: the forward pass is pipelined, the backward is not.

    stage 0  F0 F1 F2  .  .  .  B
    stage 1   . F0 F1 F2  L  B  .

The loss is computed once, on the concatenated outputs; autograd then runs one backward per stage
for all of them.
"""

from core.plan.schedules.schedule import Action, Schedule, backward, forward


def order(rank: int, ranks: int, microbatches: int, chunks: int) -> list[Action]:
    """Return forwards by micro-batch, then one backward over all of them."""
    return [*(forward(rank, m) for m in range(microbatches)), backward(rank, None)]


SCHEDULE = Schedule(
    "split",
    "Split (tutorial)",
    "The forward pass in micro-batches, one loss and one backward for all.",
    order,
    whole_loss=True,
)
