"""What-if questions, one after the other: a plan is made once, and predicted for any costs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass

from core.models.description import ModelDescription
from core.plan.specification import Specification
from core.predict.costs import CostModel
from core.predict.predict import predict_times, predicted_trace
from core.predict.setting import Setting, setting_of
from core.trace.step import StepColumns
from core.trace.trace import Trace
from core.trace.writer import TaskColumns


@dataclass(frozen=True, slots=True)
class Structure:
    """A planned step in the forms that a prediction is made from; it holds for any costs."""

    setting: Setting
    columns: StepColumns
    tasks: TaskColumns

    def times(self, costs: CostModel) -> StepColumns:
        """The step's tasks with predicted times. Raises CostError if the costs do not cover it."""
        return predict_times(self.setting.plan, self.columns, costs)

    def trace(self, costs: CostModel) -> Trace:
        """The predicted step, to be drawn. Raises CostError if the costs do not cover it."""
        return predicted_trace(self.setting.header, self.tasks, self.times(costs))


class Structures:
    """The last few structures that were asked for, so that other costs need no other plan."""

    def __init__(self, most: int = 8) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, Structure] = OrderedDict()

    def get(
        self, specification: Specification, model: ModelDescription, costs: CostModel
    ) -> Structure:
        """The structure of a run, as `setting_of` plans it. Raises PlanError if it cannot be.

        Of the costs only counts whether they go by block, and what rows they are for.
        """
        first = next(iter(costs.passes.values()))[0][0][0] if costs.by_rows else None
        key = (specification, model, costs.by_block, first)
        if key not in self._kept:
            setting = setting_of(specification, model, costs)
            tasks = setting.plan.tasks
            columns = StepColumns.of_plan(setting.plan)
            self._kept[key] = Structure(setting, columns, TaskColumns(tasks))
        self._kept.move_to_end(key)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return self._kept[key]
