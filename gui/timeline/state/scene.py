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
from gui.timeline.layout.fonts import Fonts
from gui.timeline.reduce.aggregate import Aggregate, Lanewise
from gui.timeline.reduce.counters import CounterLine
from gui.timeline.reduce.memory import LaneMemory
from gui.timeline.reduce.reduction import LaneColumns
from gui.timeline.state.bar_looks import BarWords, Colouring, words_of
from gui.timeline.state.explained import ExplanationCache
from gui.timeline.state.lane_facts import LaneFacts, lane_facts, placed, shared_letters

LATEST_STEPS = 64  # idle time and memory in a lane's label are taken from at most so many steps
LIVE_STEPS = 4  # the same while the run is live, where it is computed several times a second
MOST_COMPARED = 100_000  # tasks of the steps in which lanes are compared; of few steps all count
FEWEST_COMPARED = 3  # steps in which lanes are compared, however many tasks they have
MOST_SORTED = 1_000_000  # spans of a group whose starts and ends are sorted together
MOST_WORDS = 20_000  # texts of tasks that are kept; if there are more, all are laid out again
MOST_LOOKS = 16  # kinds of texts that are kept; a window needs a few, figures have further sizes
MOST_NEIGHBOURS = 24  # arrows to each side; more could not be distinguished


EVEN = Unevenness(computing=False, first_lane=False)


@dataclass(slots=True)
class Scene:
    """A trace with the columns and texts for drawing; `update` follows a growing trace.

    `counters` are an imported trace's, by name. `memory` has an entry for each compute lane,
    `ghosts` one for each lane if there is a `prediction`; `kinds` are the kinds with at least one
    span. Figures are of one step, `described`; `chosen_step` is the step on screen, if it is a
    single one. `live` is True while the run goes on. `explained` has the causes of idle time.
    `hits` are the results of a search: for each lane with hits, the sorted indices of its spans.
    `concealed` is a text to show in place of all explanations, "" to show them.
    `colouring` is the meaning of the bars' colours, `folds` the time between steps that is folded.
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
    _usual_step: tuple[int, bool, int | None] | None = None
    bounds: tuple[int, int] = (0, 0)
    _version: int = -1
    memory: dict[int, LaneMemory] = field(default_factory=dict)
    counters: dict[str, CounterLine] = field(default_factory=dict)
    kinds: set[Kind] = field(default_factory=set)
    prediction: Trace | None = None
    ghosts: list[LaneColumns] = field(default_factory=list)
    ghost_texts: dict[str, str] = field(default_factory=dict)
    doubt: str = ""
    concealed: str = ""
    explained: ExplanationCache = field(init=False)
    step_numbers: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    step_starts: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    step_ends: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    folds: Folds = NO_FOLDS
    hits: dict[int, Ints] = field(default_factory=dict)
    colouring: Colouring = field(default_factory=Colouring)
    _words: dict[tuple[str, str, bool, bool, bool], dict[int, BarWords]] = field(
        default_factory=dict
    )
    _rows_known: int = 0
    _shared: list[int] = field(default_factory=list)
    _neighbours: tuple[int, Span, Neighbours] | None = None
    _links: tuple[int, LaneLinks] | None = None
    _together: dict[tuple[int, ...], tuple[int, Aggregate]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        lanes = self.trace.header.lanes
        self._shared = shared_letters(working_lanes(lanes))
        self.explained = ExplanationCache(self.trace)
        self.columns = _columns_of(self.trace)
        for lane in self.trace.header.compute_lanes:
            self.memory[lane.index] = LaneMemory(lane.index)
        places = {} if self.trace.imported is None else self.trace.imported.counter_places
        for name, place in places.items():
            self.counters[name] = CounterLine(self.trace.counter(name), place)
        self.update()
        self.update_figures()

    def update(self) -> None:
        """Add the new spans and steps, if there are any."""
        if self._version == self.trace.version:
            return
        # Each part adds only what is new, so that the cost of a tick depends on the new spans, not
        # on the length of the run.
        self._version = self.trace.version
        self.bounds = self.trace.bounds
        rows = self.trace.table.rows
        new_kinds = np.unique(rows["kind"][self._rows_known :])
        self.kinds.update(KINDS[code] for code in new_kinds)
        self._rows_known = len(rows)
        for lane, columns in enumerate(self.columns):
            columns.update(self.trace.spans(lane))
        for memory in self.memory.values():
            memory.update(self.trace)
        steps = self.trace.step_table
        self.step_numbers = steps.numbers.astype(np.int64)
        self.step_starts = steps.starts
        self.step_ends = steps.ends
        folds = folds_of(steps.starts, steps.ends)
        if folds != self.folds:  # comparing the same object is immediate
            self.folds = folds

    def conceal(self, text: str) -> None:
        """Show a text in place of all explanations; "" shows them again."""
        self.concealed = text
        self.explained.concealed = text

    @property
    def summed(self) -> int:
        """Number of steps that the figures in the lanes' labels are taken from."""
        return len(self.summed_steps)

    @property
    def described(self) -> int | None:
        """The step that figures describe; None while there is no step.

        It is the chosen step, else the latest whole step of a live run, or the median step of
        others.
        """
        return self.usual_step if self.chosen_step is None else self.chosen_step

    @property
    def usual_step(self) -> int | None:
        """The latest whole step of a live run, the median step of others; None without steps."""
        about = self.trace.version, self.live
        if self._usual_step is None or self._usual_step[:2] != about:
            self._usual_step = *about, _usual_step(self.trace, self.live)
        return self._usual_step[2]

    def update_figures(self, steps: Sequence[int] | None = None) -> None:
        """Compute the figures in the lanes' labels, over `steps` (default: the described one)."""
        lanes = self.trace.header.lanes
        described = [] if self.described is None else [self.described]
        chosen = described if steps is None else list(steps)
        about = (self.trace.version, chosen)
        if about == self._figures_of:
            return
        self._figures_of = about
        self.summed_steps = chosen
        working = working_lanes(lanes)
        self.balances = lane_balances(self.trace, [lane.index for lane in working], chosen)
        facts = []
        for lane, balance, shared in zip(working, self.balances, self._shared, strict=True):
            fact = lane_facts(self.trace, lane, balance, bool(chosen))
            facts.append(replace(fact, shared=shared))
        self.unevenness = unevenness(self.trace, compared_steps(self.trace, self.live))
        # Nested lanes have no work, and the last numbers.
        nested = [LaneFacts(lane.name) for lane in lanes[len(working) :]]
        self.facts = [*placed(facts, self.trace.header), *nested]

    def words(
        self, tasks: Sequence[int], fonts: Fonts, staged: bool, low: bool, shrinks: bool
    ) -> list[BarWords]:
        """Return the texts in the bars of tasks, by rows of the task table: see `words_of`.

        They are laid out once, and drawn many times.
        """
        look = (fonts.bold.toString(), fonts.small.toString(), staged, low, shrinks)
        if look not in self._words and len(self._words) == MOST_LOOKS:
            self._words.clear()
        known = self._words.setdefault(look, {})
        table = self.trace.table
        if len(known) > MOST_WORDS:
            known.clear()
        return [
            known.get(task) or known.setdefault(task, words_of(table, task, *look))
            for task in tasks
        ]

    def neighbours_of(self, span: Span) -> Neighbours:
        """Return the tasks that a span waited for, and that waited for it: MOST_NEIGHBOURS of each.

        The last answer is cached, because each frame asks for the selected span.
        """
        kept = self._neighbours
        version = self.trace.version
        if kept is None or kept[:2] != (version, span):
            found = neighbours(self.trace, span, MOST_NEIGHBOURS)
            kept = self._neighbours = (version, span, found)
        return kept[2]

    def lane_links(self) -> LaneLinks:
        """Return the dependencies between lanes of an imported trace, cached until it grows."""
        if self._links is None or self._links[0] != self.trace.version:
            self._links = (self.trace.version, lane_links(self.trace))
        return self._links[1]

    def together(self, lanes: Sequence[int]) -> Aggregate | Lanewise:
        """Return the combined activity of several lanes, cached until the trace grows."""
        key = tuple(lanes)
        version = self.trace.version
        known, found = self._together.get(key, (-1, Aggregate()))
        if known != version:
            # Sorted together, a picture of the group costs time by pixels, not spans. But sorting
            # very many spans takes too long, so they are summed by lane for each picture.
            spans = sum(len(self.columns[lane]) for lane in lanes)
            if spans > MOST_SORTED:
                return Lanewise([self.columns[lane] for lane in lanes])
            found.update([self.trace.spans(lane) for lane in lanes])
            self._together[key] = (version, found)
        return found

    @property
    def counters_under(self) -> dict[int, list[str]]:
        """The names of the counters under each compute lane: those of its process.

        Counters are under the last lane of their process; if it has no lanes, under the last lane
        of all.
        """
        last = {lane.device: lane.index for lane in self.trace.header.compute_lanes}
        of_all = max(last.values(), default=0)
        under: dict[int, list[str]] = {}
        for name, line in self.counters.items():
            under.setdefault(last.get(line.place, of_all), []).append(name)
        return under

    @property
    def open_step(self) -> int | None:
        """The step with tasks that have not ended, or None."""
        return max((task.step for task in self.trace.open_tasks), default=None)

    @property
    def peak_bytes(self) -> float:
        """The most bytes that any lane has allocated; 0 if memory was not recorded."""
        return max((memory.peak for memory in self.memory.values()), default=0.0)

    def set_prediction(
        self, prediction: Trace | None, beside: Mapping[str, str] | None = None, doubt: str = ""
    ) -> None:
        """Set or remove a prediction of the same lanes and steps, in the same time.

        `beside` has, by the lanes' names, the texts next to their ghosts; `doubt` says why the
        prediction differs much, if it does. Raises ValueError if the prediction has another number
        of lanes.
        """
        lanes = len(self.trace.header.lanes)
        if prediction is not None and len(prediction.header.lanes) != lanes:
            have = len(prediction.header.lanes)
            raise ValueError(f"the prediction has {have} lanes; it must have the run's {lanes}")
        self.prediction = prediction
        self.ghost_texts = dict(beside or {})
        self.doubt = doubt
        self.ghosts = []
        if prediction is not None:
            self.ghosts = self._ghosts_of(prediction)

    def _ghosts_of(self, prediction: Trace) -> list[LaneColumns]:
        """Return the predicted lanes' columns; spans are cut at the measured end of their step."""
        codes = GrowingArray(np.int8)
        made = _columns_of(prediction)
        for lane in range(len(made)):
            spans = prediction.spans(lane)
            # The place of each predicted span's step; spans are sorted, so the last place is the
            # largest.
            place = np.searchsorted(self.step_numbers, spans.step)
            if len(spans) and place[-1] < len(self.step_ends):
                end = self.step_ends[place]
                cut = spans.timed(np.minimum(spans.start, end), np.minimum(spans.end, end))
                made[lane] = LaneColumns(codes)
                made[lane].update(cut)
        return made


def _columns_of(trace: Trace) -> list[LaneColumns]:
    """Return the columns of every lane, made from sums that the trace already has if possible."""
    codes = GrowingArray(np.int8)
    made = []
    for lane in range(len(trace.header.lanes)):
        spans = trace.spans(lane)
        blocks = trace.blocks(lane)
        if blocks is not None:
            made.append(LaneColumns.over(spans, blocks, codes))
        else:
            made.append(LaneColumns(codes))
            made[-1].update(spans)
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

    A step that is under way or was cut short counts only if there is no whole one.
    """
    steps = trace.steps
    measured = measured_steps(trace)
    if steps and not is_over(trace, steps[-1]):
        steps = steps[:-1] or steps
        measured = measured[:-1]
    return (measured or steps)[-LIVE_STEPS if live else -LATEST_STEPS :]


def compared_steps(trace: Trace, live: bool = False) -> list[int]:
    """Return the latest measured steps, in which lanes are compared.

    Of steps with many tasks only a few are taken: the window waits for the comparison.
    """
    steps = measured_steps(trace)
    tasks_of_step = trace.span_count // max(1, len(trace.steps))
    most = max(FEWEST_COMPARED, MOST_COMPARED // max(1, tasks_of_step))
    most = min(most, LIVE_STEPS if live else LATEST_STEPS)
    return steps[-most:]


def step_name(number: int, warmup: int) -> str:
    """Return `step 1` for the first measured step, `warm-up 1` for the first warm-up step."""
    if number < warmup:
        return tr("warm-up {number}", number=number + 1)
    return tr("step {number}", number=number - warmup + 1)
