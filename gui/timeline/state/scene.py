"""The data that a picture of a run is drawn from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from core.arrays import Ints
from core.explain.balance import LaneBalance, Unevenness, lane_balances, unevenness
from core.plan.plan import working_lanes
from core.plan.task import KINDS, Kind
from core.trace.columns import GrowingArray
from core.trace.complete import is_over, measured_steps
from core.trace.dependencies import LaneLinks, Neighbours, lane_links, neighbours
from core.trace.median_step import median_step, whole_steps
from core.trace.span import Span
from core.trace.trace import Trace
from gui.look.text import tr
from gui.timeline.layout.folds import NO_FOLDS, Folds, folds_of
from gui.timeline.reduce.aggregate import Aggregate, Lanewise
from gui.timeline.reduce.counters import CounterLine
from gui.timeline.reduce.memory import LaneMemory
from gui.timeline.reduce.reduction import LaneColumns
from gui.timeline.state.bar_looks import BarWords, Colouring, TextLook, words_of
from gui.timeline.state.explained import ExplanationCache
from gui.timeline.state.lane_facts import LaneFacts, lane_facts, placed, shared_letters
from gui.timeline.state.latest import Latest

LATEST_STEPS = 64  # the most steps from which figures are taken
LIVE_STEPS = 4  # the same for a live run, whose figures are computed several times a second
MOST_COMPARED = 100_000  # tasks, in all steps in which lanes are compared
FEWEST_COMPARED = 3  # steps; lanes are compared in these however many tasks they have
MOST_SORTED = 1_000_000  # spans of a group whose starts and ends are sorted together
MOST_WORDS = 20_000  # tasks whose texts are cached; with more, the cache is cleared
MOST_LOOKS = 16  # TextLooks in the cache; a window needs a few, exported figures need others
MOST_NEIGHBOURS = 24  # arrows to each side; more could not be distinguished


EVEN = Unevenness(computing=False, first_lane=False)


@dataclass(slots=True)
class Scene:
    """A trace with the columns and texts for drawing; `update` follows a growing trace.

    `counters` are an imported trace's, by name. `memory` has an entry for each compute lane,
    `prediction_columns` one for each lane if there is a `prediction`; `kinds` are the kinds with at
    least one span. Figures describe one step, `described`; `chosen_step` is the step on screen, if
    there is a single one. `live` is True until the run ends. `explained` caches the causes of
    idle time. `hits` are the results of a search: for each lane with hits, the sorted indices of
    its spans. `concealed` is a text to show instead of all explanations, "" to show them.
    `colouring` is the meaning of the bars' colours, `folds` are the folded times between steps.
    """

    trace: Trace
    live: bool = False
    chosen_step: int | None = None
    columns: list[LaneColumns] = field(default_factory=list)
    facts: list[LaneFacts] = field(default_factory=list)
    balances: list[LaneBalance] = field(default_factory=list)
    unevenness: Unevenness = field(default=EVEN)
    summed_steps: list[int] = field(default_factory=list)
    _figures_of: tuple[int, list[int]] | None = None
    _usual_step: Latest[int | None] = field(default_factory=Latest)
    bounds: tuple[int, int] = (0, 0)
    _version: int = -1
    memory: dict[int, LaneMemory] = field(default_factory=dict)
    counters: dict[str, CounterLine] = field(default_factory=dict)
    kinds: set[Kind] = field(default_factory=set)
    prediction: Trace | None = None
    prediction_columns: list[LaneColumns] = field(default_factory=list)
    prediction_texts: dict[str, str] = field(default_factory=dict)
    doubt: str = ""
    concealed: str = ""
    explained: ExplanationCache = field(init=False)
    step_numbers: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    step_starts: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    step_ends: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    folds: Folds = NO_FOLDS
    hits: dict[int, Ints] = field(default_factory=dict)
    colouring: Colouring = field(default_factory=Colouring)
    _words: dict[TextLook, dict[int, BarWords]] = field(default_factory=dict)
    _rows_known: int = 0
    _shared: list[int] = field(default_factory=list)
    _neighbours: Latest[Neighbours] = field(default_factory=Latest)
    _links: Latest[LaneLinks] = field(default_factory=Latest)
    _together: dict[tuple[int, ...], tuple[int, Aggregate]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        header = self.trace.header
        working = working_lanes(header.lanes)
        self._shared = shared_letters(working)
        self.explained = ExplanationCache(self.trace)
        self.columns = _columns_of(self.trace)
        for lane in header.compute_lanes:
            self.memory[lane.index] = LaneMemory(lane.index)
        imported = self.trace.imported
        if imported is not None:
            for name, place in imported.counter_places.items():
                self.counters[name] = CounterLine(self.trace.counter(name), place)
        self.update()
        self.update_figures()

    def update(self) -> None:
        """Add the new spans and steps, if there are any."""
        trace = self.trace
        if self._version == trace.version:
            return
        # Each part adds only what is new, so that the cost of a tick depends on the new spans, not
        # on the length of the run.
        self._version = trace.version
        self.bounds = trace.bounds
        kinds = trace.table.rows["kind"]
        new_kinds = np.unique(kinds[self._rows_known :])
        self.kinds.update(KINDS[code] for code in new_kinds)
        self._rows_known = len(kinds)
        for lane, columns in enumerate(self.columns):
            columns.update(trace.spans(lane))
        for memory in self.memory.values():
            memory.update(trace)
        steps = trace.step_table
        self.step_numbers = steps.numbers.astype(np.int64)
        self.step_starts = steps.starts
        self.step_ends = steps.ends
        folds = folds_of(steps.starts, steps.ends)
        if folds != self.folds:  # comparing the same object is immediate
            self.folds = folds

    def conceal(self, text: str) -> None:
        """Show a text instead of all explanations; "" shows them again."""
        self.concealed = text
        self.explained.concealed = text

    @property
    def summed(self) -> int:
        """Number of steps that the figures in the lanes' labels are taken from."""
        return len(self.summed_steps)

    @property
    def described(self) -> int | None:
        """The step that figures describe; None while there is no step.

        It is the chosen step. If there is none, it is the latest whole step of a live run, or the
        median step of other runs.
        """
        if self.chosen_step is not None:
            return self.chosen_step
        return self.usual_step

    @property
    def usual_step(self) -> int | None:
        """The latest whole step of a live run, else the run's median step; None without steps."""
        trace = self.trace
        live = self.live
        return self._usual_step.get((trace.version, live), lambda: _usual_step(trace, live))

    def update_figures(self, steps: Sequence[int] | None = None) -> None:
        """Compute the figures in the lanes' labels, over `steps` (default: the described one)."""
        if steps is not None:
            chosen = list(steps)
        elif self.described is not None:
            chosen = [self.described]
        else:
            chosen = []
        about = (self.trace.version, chosen)
        if about == self._figures_of:
            return
        self._figures_of = about
        self.summed_steps = chosen
        header = self.trace.header
        working = working_lanes(header.lanes)
        numbers = [lane.index for lane in working]
        self.balances = lane_balances(self.trace, numbers, chosen)
        facts = []
        for lane, balance, shared in zip(working, self.balances, self._shared, strict=True):
            fact = lane_facts(self.trace, lane, balance, bool(chosen))
            facts.append(replace(fact, shared=shared))
        compared = compared_steps(self.trace, self.live)
        self.unevenness = unevenness(self.trace, compared)
        # Nested lanes have no balances; they have the last indices.
        nested_lanes = header.lanes[len(working) :]
        nested = [LaneFacts(lane.name) for lane in nested_lanes]
        self.facts = [*placed(facts, header), *nested]

    def words(self, tasks: Sequence[int], look: TextLook) -> list[BarWords]:
        """Return the texts in the bars of `tasks`, which are rows of the task table.

        Texts are cached, because they are laid out once and drawn many times. See `words_of`.
        """
        if look not in self._words and len(self._words) == MOST_LOOKS:
            self._words.clear()
        known = self._words.setdefault(look, {})
        table = self.trace.table
        if len(known) > MOST_WORDS:
            known.clear()
        found = []
        for task in tasks:
            words = known.get(task)
            if words is None:
                words = known[task] = words_of(table, task, look)
            found.append(words)
        return found

    def neighbours_of(self, span: Span) -> Neighbours:
        """Return the tasks that a span waited for, and that waited for it: MOST_NEIGHBOURS of each.

        The last answer is cached, because each frame asks for the selected span.
        """
        trace = self.trace
        key = (trace.version, span)
        return self._neighbours.get(key, lambda: neighbours(trace, span, MOST_NEIGHBOURS))

    def lane_links(self) -> LaneLinks:
        """Return the dependencies between lanes of an imported trace, cached until it grows."""
        trace = self.trace
        return self._links.get(trace.version, lambda: lane_links(trace))

    def together(self, lanes: Sequence[int]) -> Aggregate | Lanewise:
        """Return the combined activity of several lanes, cached until the trace grows."""
        key = tuple(lanes)
        version = self.trace.version
        known, found = self._together.get(key, (-1, Aggregate()))
        if known != version:
            # With spans sorted together, the cost of a picture depends on its pixels, not on the
            # spans. But sorting very many spans takes too long, so they are summed by lane for each
            # picture.
            spans = sum(len(self.columns[lane]) for lane in lanes)
            if spans > MOST_SORTED:
                return Lanewise([self.columns[lane] for lane in lanes])
            found.update([self.trace.spans(lane) for lane in lanes])
            self._together[key] = (version, found)
        return found

    @property
    def counters_under(self) -> dict[int, list[str]]:
        """Names of the counters to draw under each compute lane.

        A counter is under the last lane of its process, or under the last lane of all if its
        process has no lanes.
        """
        compute = self.trace.header.compute_lanes
        last_of = {lane.device: lane.index for lane in compute}
        last_of_all = max(last_of.values(), default=0)
        under: dict[int, list[str]] = {}
        for name, line in self.counters.items():
            lane = last_of.get(line.place, last_of_all)
            names = under.setdefault(lane, [])
            names.append(name)
        return under

    @property
    def open_step(self) -> int | None:
        """The latest step with tasks that have not ended, or None."""
        steps = (task.step for task in self.trace.open_tasks)
        return max(steps, default=None)

    @property
    def peak_bytes(self) -> float:
        """The most bytes that any lane has allocated; 0 if memory was not recorded."""
        peaks = (memory.peak for memory in self.memory.values())
        return max(peaks, default=0.0)

    def set_prediction(
        self, prediction: Trace | None, lane_texts: Mapping[str, str] | None = None, doubt: str = ""
    ) -> None:
        """Set a prediction with the run's lanes and steps, in the run's time; None removes it.

        `lane_texts` maps the lanes' names to the texts next to their predictions; `doubt` says why
        the prediction differs much, or is "". Raises ValueError if the prediction has another
        number of lanes.
        """
        columns: list[LaneColumns] = []
        if prediction is not None:
            lanes = len(self.trace.header.lanes)
            have = len(prediction.header.lanes)
            if have != lanes:
                raise ValueError(f"the prediction has {have} lanes; it must have the run's {lanes}")
            columns = self._columns_of(prediction)
        self.prediction = prediction
        self.prediction_texts = dict(lane_texts or {})
        self.doubt = doubt
        self.prediction_columns = columns

    def _columns_of(self, prediction: Trace) -> list[LaneColumns]:
        """Return the predicted lanes' columns; spans are cut at the measured end of their step."""
        codes = GrowingArray(np.int8)
        made = _columns_of(prediction)
        for lane in range(len(made)):
            spans = prediction.spans(lane)
            # The place of each predicted span's step; spans are sorted, so the last place is the
            # largest.
            place = np.searchsorted(self.step_numbers, spans.step)
            if len(spans) and place[-1] < len(self.step_ends):
                latest = self.step_ends[place]
                starts = np.minimum(spans.start, latest)
                ends = np.minimum(spans.end, latest)
                columns = LaneColumns(codes)
                columns.update(spans.timed(starts, ends))
                made[lane] = columns
        return made


def _columns_of(trace: Trace) -> list[LaneColumns]:
    """Return the columns of every lane, made from the trace's precomputed sums if it has them."""
    codes = GrowingArray(np.int8)
    made = []
    for lane in range(len(trace.header.lanes)):
        spans = trace.spans(lane)
        blocks = trace.blocks(lane)
        if blocks is not None:
            columns = LaneColumns.over(spans, blocks, codes)
        else:
            columns = LaneColumns(codes)
            columns.update(spans)
        made.append(columns)
    return made


def _usual_step(trace: Trace, live: bool) -> int | None:
    """Return the latest whole step of a live run, else the median step; None without steps."""
    if live:
        steps = shown_steps(trace, live)
        return steps[-1] if steps else None
    whole = whole_steps(trace)
    return median_step(trace, whole) if whole else None


def shown_steps(trace: Trace, live: bool = False) -> list[int]:
    """Return the steps that figures are taken from: the measured ones, or all if there are none.

    An incomplete last step counts only if there is no other.
    """
    steps = trace.steps
    measured = measured_steps(trace)
    if steps and not is_over(trace, steps[-1]):
        steps = steps[:-1] or steps
        measured = measured[:-1]
    most = LIVE_STEPS if live else LATEST_STEPS
    taken = measured or steps
    return taken[-most:]


def compared_steps(trace: Trace, live: bool = False) -> list[int]:
    """Return the latest measured steps, in which lanes are compared.

    If steps have many tasks, only a few are taken, because the comparison blocks the window.
    """
    steps = measured_steps(trace)
    tasks_of_step = trace.span_count // max(1, len(trace.steps))
    most = max(FEWEST_COMPARED, MOST_COMPARED // max(1, tasks_of_step))
    most = min(most, LIVE_STEPS if live else LATEST_STEPS)
    return steps[-most:]


def name_of_step(trace: Trace, step: int) -> str:
    """Return the name of a trace's step: see `step_name`."""
    return step_name(step, trace.header.specification.warmup)


def step_name(number: int, warmup: int) -> str:
    """Return `step 1` for the first measured step, `warm-up 1` for the first warm-up step."""
    if number < warmup:
        return tr("warm-up {number}", number=number + 1)
    return tr("step {number}", number=number - warmup + 1)
