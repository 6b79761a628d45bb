"""The board: legal moves and reasons, times and memory, par, and hints."""

import random
from itertools import product

import numpy as np
import pytest

from core.board.board import Board, IllegalMoveError, needs
from core.board.hint import hint
from core.board.history import History
from core.board.par import par_of, pars, schedule_board
from core.board.rules import BoardRules, PassTimes
from core.board.timing import timed_board
from core.costs.costs import CostModel, constant_curve
from core.costs.peaks import peak_activations
from core.costs.plan_times import predict_times
from core.errors import PlanError
from core.models.catalogue import ModelSettings
from core.plan.pipeline.actions import ActionColumns, Needs
from core.plan.pipeline.complete import check_complete
from core.plan.pipeline.merge import merge
from core.plan.pipeline.orders import lane_orders
from core.plan.schedules import SCHEDULES
from core.plan.schedules.compute_csv import csv_text
from core.plan.schedules.schedule import Action
from core.plan.specification import Specification
from core.plan.task import Kind
from tests.core.helpers import plan_of

MODEL = ModelSettings("mlp", width=4, depth=16)
LETTERS = {kind.letter: kind for kind in (Kind.FORWARD, Kind.BACKWARD)} | {
    "I": Kind.BACKWARD_INPUT,
    "W": Kind.BACKWARD_WEIGHT,
}
UNITS = CostModel(
    {
        Kind.FORWARD: (constant_curve(1),),
        Kind.BACKWARD: (constant_curve(2),),
        Kind.BACKWARD_INPUT: (constant_curve(1),),
        Kind.BACKWARD_WEIGHT: (constant_curve(1),),
        Kind.LOSS: (constant_curve(0),),
        Kind.STEP: (constant_curve(0),),
    },
    transfer_ns=0,
)


def passes(text):
    """Passes in torch's notation: `0F0 1B2`."""
    found = []
    for word in text.split():
        letter = next(character for character in word if character.isalpha())
        stage, _, microbatch = word.partition(letter)
        found.append(Action(int(stage), LETTERS[letter], int(microbatch)))
    return found


def board_of(rules, *lanes):
    return Board.of(rules, [passes(lane) for lane in lanes])


def texts(order):
    return " ".join(map(str, order))


def plan_from(folder, board):
    """The plan of a board's passes, saved and read as a schedule."""
    path = folder / "board.csv"
    path.write_text(csv_text(board.orders))
    specification = Specification(
        model=MODEL,
        strategy="pipeline",
        devices=f"{board.rules.lanes}xvirtual",
        schedule=str(path),
        microbatches=board.rules.microbatches,
        batch=16,
    )
    return plan_of(specification)


@pytest.fixture
def two():
    return BoardRules.of(2, 2)


def test_a_pass_is_placed_where_its_inputs_are_and_otherwise_the_move_says_why(two):
    board = board_of(two, "0F0 0F1", "1F0")
    assert texts(board.ready()) == "1F1 1B0"
    with pytest.raises(IllegalMoveError, match=r"^B0 on stage 0 needs B0 of stage 1 first$"):
        board.place(*passes("0B0"))
    with pytest.raises(IllegalMoveError, match=r"^F0 on stage 1 needs F0 of stage 0 first$"):
        board.remove(passes("0F0"))
    with pytest.raises(IllegalMoveError, match=r"^0F1 is on the board already$"):
        board.place(*passes("0F1"))
    with pytest.raises(IllegalMoveError, match=r"^this board has no 0F2$"):
        board.place(*passes("0F2"))
    with pytest.raises(IllegalMoveError, match=r"^this board has no 4F0$"):
        board.place(*passes("4F0"))


def test_passes_that_would_wait_for_each_other_name_the_cycle(two):
    board = board_of(two, "0F0 0F1 0B0 0B1", "1F0 1F1 1B0 1B1")
    with pytest.raises(IllegalMoveError) as refused:
        board.move(*passes("0F1"), 3)
    assert str(refused.value) == "B1 on stage 0 needs F1 of stage 0 first"
    with pytest.raises(IllegalMoveError) as refused:
        board.move(*passes("0F1"), 2)
    assert str(refused.value) == "0B0 would wait for itself: 0B0 → 1B0 → 1F1 → 0F1 → 0B0"


def test_a_pass_is_moved_and_two_are_exchanged_within_their_lane(two):
    board = board_of(two, "0F0 0F1 0B0 0B1", "1F0 1F1 1B0 1B1")
    moved = board.move(*passes("1B0"), 1)
    assert texts(moved.orders[1]) == "1F0 1B0 1F1 1B1" and moved.orders[0] == board.orders[0]
    assert moved.swap(*passes("1B0 1F1")) == board
    with pytest.raises(IllegalMoveError, match="different lanes"):
        board.swap(*passes("0F0 1F1"))
    with pytest.raises(IllegalMoveError, match="stage 1 is on lane 1, so 1F0 cannot be on lane 0"):
        board_of(two, "0F0 1F0", "")


def test_a_backward_is_whole_or_in_parts(two):
    board = board_of(two, "0F0", "1F0 1I0")
    with pytest.raises(IllegalMoveError, match=r"^1I0 and 1B0 exclude each other"):
        board.place(*passes("1B0"))
    assert texts(board.place(*passes("1W0")).orders[1]) == "1F0 1I0 1W0"
    assert passes("1B0")[0] not in board.missing()


def test_a_pattern_is_repeated_for_the_following_micro_batches():
    rules = BoardRules.of(2, 4)
    board = board_of(rules, "0F0 0F1 0B0", "1F0 1B0")
    stamped = board.stamp(passes("0F1 0B0 1F0 1B0"))
    assert texts(stamped.orders[0]) == "0F0 0F1 0B0 0F2 0B1 0F3 0B2 0B3"
    assert texts(stamped.orders[1]) == "1F0 1B0 1F1 1B1 1F2 1B2 1F3 1B3"
    assert stamped.complete
    assert texts(board.stamp(passes("0F1 0B0 1F0 1B0"), 1).orders[0]) == "0F0 0F1 0B0 0F2 0B1"
    with pytest.raises(IllegalMoveError, match="0F1 is on the board already"):
        board.stamp(passes("0F0"))
    with pytest.raises(IllegalMoveError, match="no later micro-batch"):
        stamped.stamp(passes("1B3"))


def test_moves_are_undone_and_redone(two):
    empty = Board.empty(two)
    one = empty.place(*passes("0F0"))
    history = History(empty).then(one).then(one.place(*passes("1F0")))
    assert history.undo().now == one and history.undo().undo().now == empty
    assert history.undo().undo().undo().now == empty
    assert history.undo().undo().redo().redo() == history
    assert history.redo() == history
    other = history.undo().then(one.place(*passes("0F1")))
    assert other.redo() == other and other.undo().now == one
    assert history.then(history.now) == history


def one_replica():
    return [
        name
        for name, schedule in SCHEDULES.items()
        if schedule_board(schedule, 2, 4) is not None and name != "split"
    ]


@pytest.mark.parametrize("name", one_replica())
def test_every_schedule_is_a_legal_board_with_the_times_and_memory_of_its_plan(name, tmp_path):
    for lanes, microbatches in ((2, 4), (3, 6), (4, 8)):
        board = schedule_board(SCHEDULES[name], lanes, microbatches)
        assert board.complete and not board.problem() and not board.ready()
        plan = plan_from(tmp_path, board)
        assert [tuple(order) for order in lane_orders(plan)] == list(board.orders)
        columns = predict_times(plan, UNITS)
        timed = timed_board(board)
        assert timed.makespan == columns.end.max()
        peaks = peak_activations(columns, lanes).tolist()
        assert [lane.peak for lane in timed.lanes] == peaks


@pytest.mark.parametrize(("lanes", "microbatches"), list(product((2, 3, 4), (3, 6, 8))))
def test_par_is_the_step_of_the_schedules_own_board(lanes, microbatches):
    found = pars(BoardRules.of(lanes, microbatches))
    assert {"1f1b", "gpipe"} <= {par.name for par in found}
    for par in found:
        schedule = SCHEDULES[par.name]
        timed = timed_board(schedule_board(schedule, lanes, microbatches))
        # A board of one stage a lane: stages of several chunks take a part of the time.
        assert par.step == pytest.approx(timed.makespan / schedule.chunks)
        assert par.bubble == pytest.approx(timed.bubble)
        assert par.memory == pytest.approx(timed.peak / schedule.chunks)


def test_there_is_no_par_for_unequal_stages_or_copies_that_take_time():
    times = PassTimes((1, 2), (2, 2), (1, 1), (1, 1))
    assert par_of(BoardRules((0, 1), 4, False, times), SCHEDULES["1f1b"]) is None
    copies = PassTimes((1, 1), (2, 2), (1, 1), (1, 1), copy=1)
    assert par_of(BoardRules((0, 1), 4, False, copies), SCHEDULES["1f1b"]) is None


def test_copies_delay_the_passes_of_other_lanes():
    times = PassTimes((1, 1), (2, 2), (1, 1), (1, 1), copy=3)
    board = board_of(BoardRules((0, 1), 1, False, times), "0F0 0B0", "1F0 1B0")
    assert [(one.start, one.end) for one in timed_board(board).passes] == [
        (0, 1),
        (10, 12),
        (4, 5),
        (5, 7),
    ]


@pytest.mark.parametrize(
    ("rules", "step"),
    [
        (BoardRules.of(2, 2), 9),
        (BoardRules.of(3, 4, limit=3), 18),
        (BoardRules.of(3, 4, limit=2), 21),
        (BoardRules.of(2, 3, split=True, limit=2), 10),
        (BoardRules.of(2, 2, chunks=2), 15),
        (BoardRules.of(2, 3, split=True, chunks=2, vee=True, limit=3), 22),
    ],
)
def test_following_the_hints_completes_a_board_within_its_limit(rules, step):
    board = Board.empty(rules)
    while (found := hint(board)) is not None:
        assert found.action in board.ready()
        board = board.place(found.action)
        assert found.finished.complete and not found.finished.problem()
    assert board.complete
    timed = timed_board(board)
    assert timed.makespan == step
    assert rules.limit is None or timed.peak <= rules.limit


def test_on_a_large_board_the_hint_is_one_of_the_greedy_ways():
    rules = BoardRules.of(4, 12, split=True, chunks=2)
    board = hint(Board.empty(rules)).finished
    timed = timed_board(board)
    late = [one.action for one in timed.passes if one.start > timed.makespan / 3]
    half = board.remove(late)
    found = hint(half)
    assert found.action in half.ready() and found.finished.complete


def test_there_is_no_hint_for_a_board_over_its_limit():
    rules = BoardRules.of(2, 3, limit=1)
    assert hint(board_of(rules, "0F0 0F1", "")) is None


def legal_orders(rules, draw):
    """All passes in a random order in which each follows those that it needs, by lane."""
    orders = [[] for _ in range(rules.lanes)]
    placed = set()

    def place(action):
        if action not in placed:
            for need in needs(rules, action):
                place(need)
            placed.add(action)
            orders[rules.stage_lanes[action.stage]].append(action)

    for action in draw.sample(every := rules.passes(), len(every)):
        place(action)
    return orders


def random_board(seed):
    """A board of passes in any order, of which some are missing, twice, or whole and in parts."""
    draw = random.Random(seed)
    rules = BoardRules.of(
        lanes=draw.randint(1, 4),
        microbatches=draw.randint(1, 4),
        split=draw.random() < 0.4,
        chunks=(chunks := draw.randint(1, 2)),
        vee=chunks == 2 and draw.random() < 0.5,
    )
    # Half of them begin as a legal board, so that many are legal in the end.
    orders = legal_orders(rules, draw)
    for _ in range(draw.choice((0, 0, 1, 1, 2, 5))):
        order = draw.choice(orders)
        first, second = draw.randrange(len(order)), draw.randrange(len(order))
        change = draw.random()
        if change < 0.7:
            order[first], order[second] = order[second], order[first]
        elif change < 0.8 and len(order) > 1:
            del order[first]
        elif change < 0.9:
            order.insert(second, order[first])
        else:
            kind = draw.choice(list(LETTERS.values()))
            order[first] = order[first]._replace(kind=kind)
    return Board(rules, tuple(tuple(order) for order in orders))


def check_orders(board):
    """Do what `plan` does with the orders of a schedule. Raises PlanError."""
    actions = ActionColumns.of(board.orders)
    check_complete(actions, board.placement(), board.rules.microbatches)
    wanted = Needs.of(actions, board.rules.stages, board.rules.microbatches)
    merge(actions, wanted, np.arange(board.rules.lanes))


def test_500_random_boards_are_legal_and_complete_if_and_only_if_plan_accepts_them(tmp_path):
    """Every twentieth one is written to a file and planned from it, which takes longer."""
    accepted = 0
    for seed in range(500):
        board = random_board(seed)
        legal = board.complete and not board.problem()
        try:
            check_orders(board)
            if seed % 20 == 0:
                plan_from(tmp_path, board)
        except PlanError as refused:
            assert not legal, f"board {seed} is legal, but plan says: {refused}"
            if seed % 20 == 0:
                with pytest.raises(PlanError):
                    plan_from(tmp_path, board)
        else:
            assert legal, f"plan accepts board {seed}, but: {board.problem()}"
            accepted += 1
    assert 150 < accepted < 350
