"""Puzzles: the built-in ones can be solved, and files are checked before they are played."""

import functools

import pytest

from core.board.board import Board
from core.board.hint import hint
from core.board.puzzle import Goal, read_puzzle, shipped_puzzles
from core.board.timing import timed_board
from core.lessons.text import LessonError

GOOD = """---
title: My puzzle
about: It is short.
lanes: 3
microbatches: 4
step: 1f1b
memory: < 1f1b
start: 1f1b
---

Hold less
than 1F1B.

Hint: Wait.

Done: Well: done.
"""


@functools.cache
def solved(number):
    """The board of a built-in puzzle after following the hints from an empty one."""
    board = Board.empty(read_puzzle(shipped_puzzles()[number - 1]).start.rules)
    while (found := hint(board)) is not None:
        board = board.place(found.action)
    return board


def test_there_are_nine_from_two_stages_to_beating_1f1bs_memory():
    titles = [read_puzzle(path).title for path in shipped_puzzles()]
    assert len(titles) == 9
    assert titles[0] == "Two stages, two micro-batches" and titles[-1] == "Beat 1F1B's memory"


@pytest.mark.parametrize("number", range(9))
def test_a_built_in_puzzle_begins_unsolved_and_hints_solve_it(number):
    puzzle = read_puzzle(shipped_puzzles()[number])
    assert not puzzle.is_solved(puzzle.start) and not puzzle.start.problem()
    assert puzzle.text and puzzle.about and puzzle.hint and puzzle.done
    board = solved(number + 1)
    assert puzzle.is_solved(board), timed_board(board)


def test_a_solution_is_complete_short_and_small():
    puzzle = read_puzzle(shipped_puzzles()[2])
    board = solved(3)
    assert not puzzle.is_solved(board.remove([board.orders[0][-1]]))
    timed = timed_board(board)
    assert (timed.makespan, timed.peak) == (puzzle.goal.step, puzzle.goal.memory) == (18, 3)


@pytest.mark.parametrize("locale", ["zh_CN", "ko"])
def test_every_puzzle_is_translated_with_the_same_board_and_goal(locale):
    for path in shipped_puzzles():
        puzzle, other = read_puzzle(path), read_puzzle(path.parent / locale / path.name)
        assert (other.start, other.goal) == (puzzle.start, puzzle.goal)
        assert other.title != puzzle.title and other.text != puzzle.text and other.done


def test_a_puzzle_of_a_teacher_is_read(tmp_path):
    path = tmp_path / "mine.md"
    path.write_text(GOOD)
    puzzle = read_puzzle(path)
    assert (puzzle.name, puzzle.title, puzzle.about) == ("mine", "My puzzle", "It is short.")
    assert (puzzle.text, puzzle.hint, puzzle.done) == (
        "Hold less than 1F1B.",
        "Wait.",
        "Well: done.",
    )
    assert puzzle.goal == Goal(step=18, memory=2)
    assert puzzle.start.rules.limit == 2 and puzzle.start.complete


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("lanes: 3", "lanes: 0", "line 4: lanes: '0': use 1 to 8"),
        ("lanes: 3\n", "", "line 2: lanes: '': use 1 to 8"),
        ("microbatches: 4", "microbatches: 99", "line 5: microbatches: '99': use 1 to 16"),
        ("step: 1f1b", "step: fast", "line 6: step: 'fast': use a number"),
        ("step: 1f1b", "step: dualpipe-v", "line 6: step: 'dualpipe-v': use a number"),
        ("step: 1f1b", "step: < 7", "line 6: step: '< 7': use a number"),
        ("step: 1f1b\nmemory: < 1f1b\n", "", "a puzzle needs a goal"),
        ("start: 1f1b", "start: zb-v", "line 8: start: 'zb-v': use a schedule for these lanes"),
        ("start: 1f1b", "placement: vee", "line 8: placement: 'vee': use chunks: 2"),
        ("start: 1f1b", "passes: F", "line 8: passes: 'F': use F B or F I W"),
        ("start: 1f1b", "colour: red", "line 8: colour: 'colour': use title"),
        ("title: My puzzle", "about: it", "the header needs a line title"),
    ],
)
def test_a_bad_puzzle_is_refused_in_one_line(tmp_path, before, after, said):
    path = tmp_path / "mine.md"
    path.write_text(GOOD.replace(before, after))
    with pytest.raises(LessonError) as refused:
        read_puzzle(path)
    assert said in str(refused.value) and "\n" not in str(refused.value)
