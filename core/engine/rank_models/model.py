"""The interface between a rank and its model, however torch divides that model."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from torch import Tensor, nn

from core.engine.lanes.lane import LaneThread
from core.engine.models.workload import Workload, full_names, gradients_of
from core.errors import PlanError
from core.message import message
from core.plan.plan import Strategy
from core.plan.specification import Specification
from core.recorder.instrument import Instrument
from core.recorder.memory import ReportMemory
from core.recorder.rank_step import Op


@dataclass(frozen=True, slots=True)
class RankSetup:
    """The lane of a rank's model, the instrument that records it, and the receiver of counters.

    `on_streams` is True if collectives run on the device's streams, not on threads of the host.
    """

    lane: LaneThread
    on_streams: bool
    instrument: Instrument
    report: ReportMemory
    specification: Specification


class RankModel:
    """The model in a rank: its `blocks` in nn.Sequential, and `module`, which torch runs.

    Methods that begin with `whole` are collectives: every rank must call them, outside the timed
    step.
    """

    def __init__(self, blocks: list[nn.Module], setup: RankSetup) -> None:
        self._setup = setup
        self.blocks = nn.Sequential(*blocks).to(setup.lane.device)
        self.module: nn.Module = self.blocks

    @classmethod
    def check(cls, workload: Workload) -> None:
        """Raise PlanError if torch cannot divide the model in this way."""
        if len(set(workload.blocks)) < len(workload.blocks):
            raise PlanError(
                message(
                    "{name} lists a block twice, but a rank times each block separately; put "
                    "both uses into one block",
                    name=workload.description.name,
                )
            )

    @property
    def parameters(self) -> dict[str, nn.Parameter]:
        """The parameters that this rank updates, by name."""
        return full_names(list(self.blocks))

    def begin(self) -> None:
        """Prepare for a step: clear the gradients."""
        self.blocks.zero_grad(set_to_none=True)
        self._setup.report("gradients", 0)

    def finish(self) -> None:
        """After the backward pass, wait until the gradients cover the whole batch."""

    def parameters_of(self, op: Op) -> tuple[str, ...]:
        """Return the names of the parameters that a recorded collective transfers.

        For a collective of gradients, these are the parameters that have the gradients.
        """
        raise NotImplementedError

    def whole(self, tensor: Tensor) -> Tensor:
        """Return a copy of a whole parameter or gradient."""
        return tensor.detach().clone()

    def held_bytes(self, tensor: Tensor) -> int:
        """Return the bytes of a parameter, gradient or optimizer state that this rank holds."""
        return tensor.nbytes

    def close(self) -> None:
        """End all threads, after the last step."""

    def whole_parameters(self) -> dict[str, Tensor]:
        """Return copies of all parameters, by name."""
        return {name: self.whole(p.detach()) for name, p in self.parameters.items()}

    def whole_gradients(self) -> dict[str, Tensor]:
        """Return copies of all gradients, by name; zeros for a parameter without one."""
        gradients = gradients_of(self.parameters)
        return {name: self.whole(gradient) for name, gradient in gradients.items()}


def rank_model(strategy: Strategy) -> type[RankModel]:
    """Return the class of the strategy's rank model.

    Its module is imported only here, because some take half a second.
    """
    made: type[RankModel] = import_module(f"core.engine.rank_models.{strategy.rank_model}").MODEL
    return made
