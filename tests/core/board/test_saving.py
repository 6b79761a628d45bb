"""Finished boards as schedules in files, and the solutions of all puzzles really run."""

from dataclasses import replace

import pytest

from core.board.board import Board
from core.board.puzzle import read_puzzle, shipped_puzzles
from core.board.saving import board_run, save_board
from core.errors import PlanError
from core.plan.pipeline.orders import lane_orders
from core.plan.schedules import SCHEDULES
from core.trace.verified import verified
from tests.core.board.test_puzzle import solved
from tests.core.helpers import plan_of


def solution(number):
    """A board that solves a puzzle; the one that begins with GPipe is solved by 1F1B."""
    puzzle = read_puzzle(shipped_puzzles()[number - 1])
    if puzzle.start.placed:
        return Board.of(puzzle.start.rules, SCHEDULES["1f1b"].orders(2, 4, 1))
    return solved(number)


def test_the_same_board_is_the_same_file_and_its_plan_has_its_order(tmp_path):
    board = solution(3)
    path = save_board(board, tmp_path / "boards", "One forward, one backward")
    assert save_board(board, tmp_path / "boards", "One forward, one backward") == path
    assert path.name == "One forward, one backward.csv"
    assert path.parent.name.startswith("board-3x4-")
    assert save_board(solution(5), tmp_path / "boards", "One forward, one backward") != path
    plan = plan_of(board_run(board, path))
    assert [tuple(order) for order in lane_orders(plan)] == list(board.orders)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ('a/b: "c"?', "a b c.csv"),
        ("零气泡", "零气泡.csv"),
        (" .. ", "board.csv"),
        ("x" * 200, f"{'x' * 60}.csv"),
    ],
)
def test_a_title_becomes_a_name_that_file_systems_accept(tmp_path, title, name):
    assert save_board(solution(3), tmp_path, title).name == name


def test_an_incomplete_board_is_refused_by_plan(tmp_path):
    board = solution(3)
    path = save_board(board.remove([board.orders[0][-1]]), tmp_path, "board")
    with pytest.raises(PlanError, match="the schedule lacks 0B3"):
        plan_of(board_run(board, path))


@pytest.mark.parametrize("number", range(1, 10))
def test_the_solution_of_each_puzzle_runs_verified(engine, tmp_path, number):
    pytest.importorskip("torch")
    board = solution(number)
    assert read_puzzle(shipped_puzzles()[number - 1]).is_solved(board)
    specification = board_run(board, save_board(board, tmp_path, "board"), width=16, rows=2)
    short = replace(specification, steps=1, warmup=0, calibrate=False)
    trace = engine.finish(short)
    assert short.verify and verified(trace).agrees
    assert trace.span_count >= sum(map(len, board.orders))
