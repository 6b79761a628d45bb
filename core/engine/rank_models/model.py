"""What a rank needs of the model that torch runs in it, however torch divides that model."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from torch import Tensor, nn

from core.engine.lanes.lane import LaneThread
from core.engine.models.workload import Workload, full_names, gradients_of
from core.errors import PlanError
from core.plan.plan import Strategy
from core.plan.specification import Specification
from core.recorder.instrument import Instrument
from core.recorder.memory import ReportMemory
from core.recorder.rank_step import Op


@dataclass(frozen=True, slots=True)
class RankSetup:
    """The lane of a rank's model, what records it, and the function that gets its counters.

    `on_streams` says that collectives run on the device's streams, not on threads of the host.
    """

    lane: LaneThread
    on_streams: bool
    instrument: Instrument
    report: ReportMemory
    specification: Specification


class RankModel:
    """A model in one of the ranks: its `blocks` in nn.Sequential, in `module` as torch runs them.

    What is named `whole` is a collective: every rank must ask for it, outside the timed step.
    """

    def __init__(self, blocks: list[nn.Module], setup: RankSetup) -> None:
        self._setup = setup
        self.blocks = nn.Sequential(*blocks).to(setup.lane.device)
        self.module: nn.Module = self.blocks

    @classmethod
    def check(cls, workload: Workload) -> None:
        """Raise PlanError for a model that this one cannot be made of."""
        if len(set(workload.blocks)) < len(workload.blocks):
            raise PlanError(
                f"{workload.description.name} lists a block twice, and each is timed by itself in "
                "a rank; put both uses into one block"
            )

    @property
    def parameters(self) -> dict[str, nn.Parameter]:
        """What this rank steps, by name."""
        return full_names(list(self.blocks))

    def begin(self) -> None:
        """Before each step: forget the gradients."""
        self.blocks.zero_grad(set_to_none=True)
        self._setup.report("gradients", 0)

    def finish(self) -> None:
        """Behind the backward pass: wait until the gradients are those of the whole batch."""

    def parameters_of(self, op: Op) -> tuple[str, ...]:
        """Names of the parameters that a recorded collective moves, or whose gradients."""
        raise NotImplementedError

    def whole(self, tensor: Tensor) -> Tensor:
        """A copy of a parameter or gradient, all of it."""
        return tensor.detach().clone()

    def held_bytes(self, tensor: Tensor) -> int:
        """Bytes of a parameter, gradient or optimizer state that this rank holds."""
        return tensor.nbytes

    def close(self) -> None:
        """After the last step."""

    def whole_parameters(self) -> dict[str, Tensor]:
        """Copies of all parameters, by name."""
        return {name: self.whole(p.detach()) for name, p in self.parameters.items()}

    def whole_gradients(self) -> dict[str, Tensor]:
        """Copies of all gradients, by name; zeros for a parameter without one."""
        return {name: self.whole(g) for name, g in gradients_of(self.parameters).items()}


def rank_model(strategy: Strategy) -> type[RankModel]:
    """How torch divides the model in the strategy's ranks. Some take half a second to import."""
    made: type[RankModel] = import_module(f"core.engine.rank_models.{strategy.rank_model}").MODEL
    return made
