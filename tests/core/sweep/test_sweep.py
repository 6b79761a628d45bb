"""Which runs a sweep makes, its table, and what it makes of their times."""

import math
from dataclasses import replace

import pytest

from core.engine.messages import Outcome
from core.errors import PlanError
from core.plan.pipeline.options import BALANCE, LANE_MEMORY, SCHEDULE
from core.sweep.results import Results, remaining, seconds_left
from core.sweep.sweep import Point, sweep_of
from core.sweep.table import COLUMNS, SweepRow, UnmeasuredError, read_table, sweep_row, table_text
from core.sweep.values import SWEPT, read_values, suggested
from tests.make_believe import specification, trace_of

OPTION = {option.name: option for option in SWEPT}
SPLIT_SIZE = OPTION["split_size"]
SPLITS = {"strategy": "pipeline", "split_size": "4,8", "batch": "32", "devices": "2xcpu"}


def made(repeat=2, **given):
    return sweep_of({**SPLITS, **given}, repeat=repeat)


def rows_of(sweep, times):
    """A row for every run, with the times of its setting."""
    return tuple(
        SweepRow(point, 2, times[point.setting][point.repeat - 1]) for point in sweep.points
    )


@pytest.mark.parametrize(
    ("name", "text", "values"),
    [
        ("split_size", "1,2, 4", (1, 2, 4)),
        ("split_size", "default,4", (None, 4)),
        ("lr", "0.1,1e-3", (0.1, 0.001)),
        ("blocks", "no,yes", (False, True)),
        ("devices", "2xcpu;cuda:0,cuda:1", ("2xcpu", "cuda:0,cuda:1")),
        ("devices", "cuda:0,cuda:1;", ("cuda:0,cuda:1",)),
        ("hiccup", "lane=0,step=1,ms=5", ("lane=0,step=1,ms=5",)),
        ("hiccup", "lane=0,step=1,ms=5;default", ("lane=0,step=1,ms=5", None)),
        ("slow_lane", "0:2,1:2 0:3", ("0:2", "1:2 0:3")),
        ("model", "mlp,gpt", ("mlp", "gpt")),
    ],
)
def test_values_are_read_with_commas_or_semicolons(name, text, values):
    assert read_values(OPTION[name], text) == values


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("split_size", "1,x", "--split-size 'x': use a whole number"),
        ("split_size", "1,0", "--split-size 0: use 1 or more"),
        ("split_size", "2,2", "2 is listed twice"),
        ("split_size", "2,", "a value is missing"),
        ("blocks", "maybe", "use yes or no"),
        ("devices", "cuda:0,cuda:1", "write 'cuda:0;cuda:1' for 2 values"),
        ("strategy", "pipeline,dq", "use "),
    ],
)
def test_values_that_no_run_can_have_are_refused_in_one_line(name, text, said):
    with pytest.raises(PlanError, match=r"^[^\n]*$") as refused:
        read_values(OPTION[name], text)
    assert said in str(refused.value)


def test_suggested_values_can_be_read_again():
    for option in SWEPT:
        text = suggested(option, option.default, 64)
        assert not text or read_values(option, text)


def test_every_combination_is_a_setting_once_with_single_and_mp_beside():
    sweep = made(schedule="gpipe,1f1b")
    told = [(s.strategy, s[SCHEDULE], s[SPLIT_SIZE]) for s in sweep.settings]
    assert told[:2] == [("single", None, None), ("mp", None, None)]
    assert set(told[2:]) == {("pipeline", s, n) for s in ("gpipe", "1f1b") for n in (4, 8)}
    assert len(told) == 6
    assert all(not setting.calibrate for setting in sweep.settings)


def test_a_swept_batch_is_run_beside_with_each_of_its_values():
    sweep = made(batch="32,64", split_size="4")
    assert [(s.strategy, s.batch) for s in sweep.settings] == [
        (strategy, batch) for strategy in ("single", "mp", "pipeline") for batch in (32, 64)
    ]


def test_a_limit_of_balanced_times_is_none_for_the_runs_that_do_not_balance():
    sweep = made(split_size="4", balance="yes,no", lane_memory="100")
    assert [(s[BALANCE], s[LANE_MEMORY]) for s in sweep.settings if s.strategy == "pipeline"] == [
        (True, 100.0),
        (False, None),
    ]


def test_options_that_no_strategy_takes_are_refused():
    with pytest.raises(PlanError, match="--split-size is not for ddp"):
        _ = made(strategy="ddp").settings


def test_rounds_are_shuffled_and_always_the_same():
    sweep = made(repeat=3)
    assert sweep.points == made(repeat=3).points
    assert len(set(sweep.points)) == 12
    rounds = [sweep.points[at : at + 4] for at in (0, 4, 8)]
    for number, turn in enumerate(rounds, 1):
        assert {p.repeat for p in turn} == {number}
        assert {p.setting for p in turn} == {0, 1, 2, 3}
    assert len({tuple(p.setting for p in turn) for turn in rounds}) > 1


def test_a_table_is_read_as_it_was_written(tmp_path):
    sweep, path = made(), tmp_path / "s.csv"
    rows = rows_of(sweep, [(9.0, 11.0), (10.0, 10.0), (6.0, 7.0), (5.0, 5.5)])
    text = table_text(sweep, rows)
    path.write_text(text)
    assert read_table(path, sweep) == (list(rows), len(text))
    assert text.splitlines()[0] == ",".join(COLUMNS)
    assert {"split_size", "repeat", "step_ms"} <= set(COLUMNS)
    more, _ = read_table(path, made(repeat=3))
    assert len(remaining(made(repeat=3), more)) == 4


def test_a_line_that_was_cut_is_run_again(tmp_path):
    sweep, path = made(), tmp_path / "s.csv"
    rows = rows_of(sweep, [(9.0, 11.0)] * 4)
    lines = table_text(sweep, rows).splitlines(keepends=True)
    path.write_text("".join(lines[:4]) + lines[4][:-3])
    read, whole = read_table(path, sweep)
    assert read == list(rows[:3]) and whole == len("".join(lines[:4]))
    path.write_text(lines[0][:20])
    assert read_table(path, sweep) == ([], 0)
    assert read_table(tmp_path / "none.csv", sweep) == ([], 0)


def test_a_table_of_another_machine_is_not_continued(tmp_path):
    sweep, path = made(), tmp_path / "s.csv"
    rows = rows_of(sweep, [(9.0, 11.0)] * 4)
    path.write_text(table_text(sweep, rows))
    with pytest.raises(PlanError, match="line 2 was measured on this machine; name another file"):
        read_table(path, sweep, "gpu")
    there = [replace(row, machine="gpu") for row in rows]
    path.write_text(table_text(sweep, there))
    assert read_table(path, sweep, "gpu")[0] == there
    with pytest.raises(PlanError, match="line 2 was measured on gpu; name another file"):
        read_table(path, sweep)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace(",32,", ",48,"), "has batch 48, not 32"),
        (lambda text: "a,b\n1,2\n", "is not the table of a sweep"),
        (lambda text: text.replace(",2,9.000000", ",2,x"), "is not a valid row"),
        (lambda text: text + text.splitlines(keepends=True)[1], "repeats a run"),
        (lambda text: text + "1,2\n", "has 2 cells"),
        (lambda text: text.replace("9.000000", "nan"), "out of range"),
        (lambda text: '"' + text, "cannot be read"),
    ],
)
def test_a_table_of_something_else_is_refused_in_one_line(tmp_path, change, said):
    sweep, path = made(), tmp_path / "s.csv"
    path.write_text(change(table_text(sweep, rows_of(sweep, [(9.0, 11.0)] * 4))))
    with pytest.raises(PlanError, match=r"^[^\n]*$") as refused:
        read_table(path, sweep)
    assert said in str(refused.value)


def test_means_deviations_the_ideal_and_the_fastest():
    sweep = made(repeat=3)
    times = [(10.0, 11.0, 12.0), (14.0, 14.0, 14.0), (6.0, 6.2, 6.4), (9.0, 9.1, 9.2)]
    results = Results(sweep, rows_of(sweep, times))
    single, mp, four, eight = results.by_setting.values()
    assert (single.mean_ms, single.deviation_ms) == (11.0, 1.0)
    assert mp.ideal_ms == four.ideal_ms == 5.5 and mp.deviation_ms == 0.0
    assert results.fastest is four and results.as_fast == ()
    assert results.bars == (single, mp)
    assert [place for place, _ in results.series[0].results] == [4.0, 8.0]
    assert results.numbers == (4.0, 8.0)
    assert sweep.settings[four.median_point.setting] is four.setting
    assert four.median_point.repeat == 2 and eight.differs_from(four) is True


def test_chance_is_not_taken_for_a_difference():
    sweep = made(repeat=3)
    results = Results(
        sweep, rows_of(sweep, [(20.0,) * 3, (20.0,) * 3, (6.0, 9.0, 7.0), (8.0,) * 3])
    )
    assert [result.setting[SPLIT_SIZE] for result in results.as_fast] == [8]
    alone = Results(made(repeat=1), rows_of(made(repeat=1), [(5.0,), (6.0,), (7.0,), (8.0,)]))
    assert alone.as_fast == () and alone.fastest.deviation_ms is None


def test_the_ideal_waits_for_a_single_lane():
    sweep = made(repeat=1)
    rows = rows_of(sweep, [(5.0,), (6.0,), (7.0,), (8.0,)])
    some = Results(sweep, tuple(row for row in rows if row.point.setting))
    assert {result.ideal_ms for result in some.by_setting.values()} == {None}


def test_time_left_knows_what_each_setting_took():
    points = [Point(0, 2), Point(1, 2), Point(2, 1)]
    assert seconds_left(points, []) is None
    assert math.isclose(seconds_left(points, [(0, 1.0), (1, 3.0)]), 1 + 3 + 2)


def test_a_run_is_measured_by_the_median_of_its_measured_steps():
    trace = trace_of(specification(steps=3, warmup=1))
    row = sweep_row(Point(0, 1), trace, Outcome.FINISHED, "")
    start, end = trace.step_bounds(2)
    assert row.lanes == 2 and row.step_ms == (end - start) / 1e6
    for outcome, text in ((Outcome.STOPPED, ""), (Outcome.FAILED, "no memory")):
        with pytest.raises(UnmeasuredError, match=text or "stopped"):
            sweep_row(Point(0, 1), trace, outcome, text)
