"""SQL over runs: the tables say what the trace says, and a query reads nothing else."""

import csv
import json
import os
import re
import subprocess
import sys
import threading
import time

import pytest

from bubblescope.cli.start import run_arguments
from core.explain.causes import Cause
from core.paths import PROJECT_ROOT
from core.recording.recording import open_recording
from core.report.summary import summarise
from core.sql.examples import EXAMPLES
from core.sql.query import SqlError, answer
from core.sql.query_process import answer_in_process
from core.sql.tables import TABLES
from tests.make_believe import record, specification, trace_of
from tests.processes import children

pytest.importorskip("duckdb")

SHIPPED = sorted((PROJECT_ROOT / "resources" / "recordings").glob("*.arrow"))
PAGE = PROJECT_ROOT / "docs" / "sql.md"


@pytest.fixture(scope="module")
def trace():
    return trace_of(specification(devices="4xcpu", schedule="gpipe", steps=3))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_example_has_an_answer_for_every_shipped_recording(path):
    trace = open_recording(path).trace
    for example in EXAMPLES:
        assert answer(example.query, {1: trace}).columns, example.title


def test_the_page_shows_the_examples_as_they_are():
    shown = re.findall(r"### ([^\n]+)\n\n```sql\n(.*?)\n```", PAGE.read_text(), re.DOTALL)
    assert shown == [tuple(example) for example in EXAMPLES]
    for name in TABLES:
        assert f"`{name}`" in PAGE.read_text()


def test_the_tables_add_up_to_what_the_summary_says(trace):
    found = answer("SELECT count(*), sum(duration_ns) FROM spans", {1: trace})
    assert found.rows == ((trace.span_count, sum(span.end - span.start for span in trace)),)
    summary = summarise(trace)
    found = answer("SELECT step, lane, sum(duration_ns) FROM idle GROUP BY ALL", {1: trace})
    idle = {(step, lane): ns for step, lane, ns in found.rows}
    names = [lane.name for lane in trace.header.lanes]
    for step in summary.steps:
        for name, lane in zip(names, step.lanes, strict=False):
            assert idle.get((step.step, name), 0) == sum(lane.idle_by_cause.values())
    found = answer("SELECT DISTINCT cause FROM idle", {1: trace})
    assert {cause for (cause,) in found.rows} <= {cause.value for cause in Cause}
    found = answer("SELECT step, measured, loss FROM steps ORDER BY step", {1: trace})
    assert [row[1] for row in found.rows] == [False, False, True, True, True]
    losses = trace.counter("loss").values.tolist()
    assert [row[2] for row in found.rows] == losses


def test_a_step_that_is_cut_off_is_not_measured_and_has_no_idle_time(tmp_path):
    whole = PROJECT_ROOT / "resources" / "recordings" / "1f1b-2-cpu-lanes.arrow"
    (tmp_path / "cut.arrow").write_bytes(whole.read_bytes()[:95_000])
    cut = open_recording(tmp_path / "cut.arrow").trace
    counted = [step.step for step in summarise(cut).steps if step.complete]
    found = answer("SELECT step, measured FROM steps ORDER BY step", {1: cut}).rows
    assert found[-1] == (6, False)
    assert [step for step, is_measured in found if is_measured] == counted
    found = answer("SELECT DISTINCT step FROM idle ORDER BY step", {1: cut}).rows
    assert [step for (step,) in found] == counted == [2, 3]


def profiled(*steps):
    """A trace of PyTorch's profiler: a call before, in and after `steps` of 100 us each."""
    events = [{"ph": "X", "cat": "cpu_op", "name": "before", "pid": 1, "tid": 1, "ts": 0, "dur": 9}]
    for place, step in enumerate(steps, 1):
        at = {"ph": "X", "pid": 1, "tid": 1, "ts": 100 * place}
        name = f"ProfilerStep#{step}"
        events += [
            {**at, "cat": "user_annotation", "name": name, "dur": 100},
            {**at, "cat": "cpu_op", "name": "aten::mm", "ts": at["ts"] + 10, "dur": 50},
        ]
    late = {"cat": "cpu_op", "name": "after", "ts": 100 * len(steps) + 200, "dur": 9}
    events.append({"ph": "X", "pid": 1, "tid": 1, **late})
    return {"schemaVersion": 1, "traceEvents": events}


def test_spans_outside_of_all_steps_have_no_step(tmp_path):
    path = tmp_path / "trace.json"
    for numbers, steps in ((range(3, 6), 3), ((), 0)):
        path.write_text(json.dumps(profiled(*numbers)))
        trace = open_recording(path).trace
        found = answer("SELECT name, step FROM spans", {1: trace}).rows
        assert {name for name, step in found if step is None} == {"before", "after"}
        assert len({step for _, step in found if step is not None}) == steps
        query = "SELECT step FROM spans WHERE step IS NOT NULL EXCEPT SELECT step FROM steps"
        assert answer(query, {1: trace}).rows == ()
        assert run_arguments(["export", str(path), "--table", str(tmp_path / "spans.csv")]) == 0
        with (tmp_path / "spans.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert {row["name"] for row in rows if row["step"] == ""} == {"before", "after"}


def test_several_runs_are_told_apart_by_their_numbers(trace):
    other = trace_of(specification("dp", steps=1))
    found = answer(
        "SELECT run, count(*) FROM spans GROUP BY run ORDER BY run", {3: trace, 7: other}
    )
    assert found.rows == ((3, trace.span_count), (7, other.span_count))


@pytest.mark.parametrize("name", TABLES)
def test_a_run_without_spans_has_every_table(name):
    from core.trace.trace import Trace
    from tests.make_believe import header_and_plans

    empty = Trace(header_and_plans(specification())[0])
    rows = answer(f"SELECT * FROM {name}", {1: empty}).rows
    assert len(rows) == (2 if name == "lanes" else 0)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv('{file}')",
        "SELECT * FROM '{file}'",
        "COPY (SELECT 1) TO '{file}'",
        "ATTACH '{file}.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SELECT * FROM trace",
        "SELECT * FROM runs",
        "SELECT * FROM glob('/*')",
        "EXPORT DATABASE '{file}'",
    ],
)
def test_a_query_reads_and_writes_nothing_but_its_tables(trace, tmp_path, query):
    file = tmp_path / "secret.csv"
    file.write_text("a,b\n1,2\n")
    with pytest.raises(SqlError) as raised:
        answer(query.format(file=file), {1: trace})
    assert "\n" not in str(raised.value)
    assert [path.name for path in tmp_path.iterdir()] == ["secret.csv"]
    assert file.read_text() == "a,b\n1,2\n"


@pytest.mark.parametrize(
    "query",
    ["SELEC 1", "SELECT nothing FROM spans", "SELECT 1 +\n+ FROM", "SELECT now()"],
)
def test_what_cannot_be_asked_is_one_line(trace, query, capsys, tmp_path):
    record(specification(steps=1), tmp_path / "run.arrow")
    status = run_arguments(["sql", str(tmp_path / "run.arrow"), query])
    out, err = capsys.readouterr()
    assert status == 2 and err.startswith("bubblescope: ") and err.count("\n") == 1 and not out


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "there is no query; use one that returns rows, such as FROM steps"),
        ("-- nothing", "there is no query; "),
        ("SELECT 1; SELECT 2", "the query has 2 statements; use one at a time"),
        ("DROP TABLE spans", "DROP returns no rows; use a query that does, such as FROM steps"),
        ("CREATE TABLE x (a INT)", "CREATE returns no rows; "),
        ("INSERT INTO spans SELECT * FROM spans", "INSERT returns no rows; "),
    ],
)
def test_what_gives_no_rows_is_refused_in_one_line(trace, query, said, capsys, tmp_path):
    record(specification(steps=1), tmp_path / "run.arrow")
    assert run_arguments(["sql", str(tmp_path / "run.arrow"), query]) == 2
    out, err = capsys.readouterr()
    assert said in err and err.count("\n") == 1 and not out


@pytest.mark.parametrize(
    "query",
    ["SELECT 1;", "FROM steps", "VALUES (1)", "DESCRIBE spans", "EXPLAIN FROM spans", "SELECT 1;;",
     "PIVOT spans ON kind USING count(*)", "SUMMARIZE steps", "WITH a AS (SELECT 1) FROM a"],
)  # fmt: skip
def test_every_statement_that_gives_rows_is_a_query(trace, query):
    assert answer(query, {1: trace}).rows


def test_the_command_prints_a_table_and_writes_one(capsys, tmp_path):
    record(specification(steps=1), tmp_path / "run.arrow")
    query = "SELECT lane, count(*) AS n, 1 / 3.0 AS part, NULL AS nothing FROM spans GROUP BY lane"
    assert run_arguments(["sql", str(tmp_path / "run.arrow"), f"{query} ORDER BY lane"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["lane", "n", "part", "nothing"] and "0.333333" in lines[1]
    out = tmp_path / "rows.csv"
    line = ["sql", str(tmp_path / "run.arrow"), "SELECT '=1+1' AS f, 2 AS n", "--csv", str(out)]
    assert run_arguments(line) == 0
    assert out.read_text() == "f,n\n'=1+1,2\n" and capsys.readouterr().out == ""
    assert run_arguments(["sql", str(tmp_path / "run.arrow"), "SELECT 1 WHERE false"]) == 0
    assert capsys.readouterr().out == "no rows\n"


def test_an_answer_is_cut_where_it_is_too_long(monkeypatch, trace):
    monkeypatch.setattr("core.sql.query.MOST_ROWS", 3)
    found = answer("SELECT * FROM range(10)", {1: trace})
    assert found.rows == ((0,), (1,), (2,))
    assert str(found.cut) == "only the first 3 rows; add LIMIT or GROUP BY"
    assert answer("SELECT * FROM range(3)", {1: trace}).cut == ""
    monkeypatch.setattr("core.sql.query.MOST_IN_AN_ANSWER", 10)
    found = answer("SELECT 'four' FROM range(10)", {1: trace})
    assert len(found.rows) == 2
    assert str(found.cut) == "only the first 2 rows: their values are too long"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT repeat('x', 1_000_001) AS much", "a value of much is longer than 1,000,000; use"),
        ("SELECT list(range) AS much FROM range(1_000_001)", "a value of much is longer than"),
        ("SELECT {'a': [repeat('x', 1_000_001)]} AS much", "a value of much is longer than"),
        (f"SELECT {', '.join(map(str, range(501)))}", "501 columns; use at most 500"),
    ],
)
def test_an_answer_that_no_table_could_show_is_refused(trace, query, said):
    with pytest.raises(SqlError, match=said):
        answer(query, {1: trace})


@pytest.mark.parametrize(
    "query",
    [
        "SELECT content FROM read_text('.tmp/secret.csv')",
        "SELECT * FROM glob('.tmp/*')",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '.tmp/written.csv'",
        "EXPLAIN ANALYZE SET VARIABLE a = (SELECT content FROM read_text('.tmp/secret.csv'))",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO 'written.csv'",
        "PRAGMA profiling_output = '.tmp/written.json'",
        "CALL enable_logging(storage = 'file', storage_path = '.tmp')",
        "PRAGMA import_database('.tmp')",
    ],
)
def test_a_link_that_is_called_as_the_temporary_folder_leads_nowhere(
    trace, tmp_path, monkeypatch, query
):
    elsewhere, here = tmp_path / "elsewhere", tmp_path / "here"
    elsewhere.mkdir()
    here.mkdir()
    (elsewhere / "secret.csv").write_text("secret")
    (here / ".tmp").symlink_to(elsewhere)
    monkeypatch.chdir(here)
    with pytest.raises(SqlError):
        answer(query, {1: trace})
    assert [path.name for path in elsewhere.iterdir()] == ["secret.csv"]
    assert [path.name for path in here.iterdir()] == [".tmp"]


def test_a_query_apart_is_answered_as_any_other(trace):
    query = (
        "SELECT lane, sum(duration_ns) FROM spans JOIN lanes USING (lane) GROUP BY ALL ORDER BY 1"
    )
    assert answer_in_process(query, {1: trace}) == answer(query, {1: trace})
    with pytest.raises(SqlError, match="Referenced column"):
        answer_in_process("SELECT nothing FROM spans", {1: trace})


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    "query",
    [
        "SELECT repeat('x', 1_000_000 + range % 2) FROM range(100_000)",
        "SELECT a FROM range(500_000_000) r(a) ORDER BY hash(a)",
    ],
)
def test_a_query_that_needs_too_much_memory_is_refused(trace, tmp_path, monkeypatch, query):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("core.sql.query_process.MEMORY", 300 << 20)
    began = time.monotonic()
    with pytest.raises(SqlError) as raised:
        answer_in_process(query, {1: trace})
    assert "\n" not in str(raised.value) and "emory" in str(raised.value)
    assert time.monotonic() - began < 30
    assert list(tmp_path.iterdir()) == []


def test_a_query_is_answered_under_a_limit_of_the_system(tmp_path):
    record(specification(steps=1), tmp_path / "run.arrow")
    query = "SELECT count(*) AS n FROM steps"
    command = [sys.executable, str(PROJECT_ROOT / "main.py"), "sql", "run.arrow", query]
    limited = ["sh", "-c", 'ulimit -v 4000000; exec "$@"', "sh", *command]
    done = subprocess.run(
        limited, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ["n", "3"]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(*) FROM range(10_000_000) a, range(10_000_000) b",
        "SELECT list(range) FROM range(20_000_000)",
    ],
)
def test_a_query_is_stopped_whatever_it_does(trace, query):
    timers = []

    def begun(stop):
        timers.append(threading.Timer(0.6, stop))
        timers[0].start()

    began = time.monotonic()
    with pytest.raises(SqlError, match="the query was stopped"):
        answer_in_process(query, {1: trace}, begun)
    assert time.monotonic() - began < 5
    timers[0].join()


def test_a_query_that_is_stopped_before_it_begins_leaves_no_process(trace):
    before = set(children(os.getpid()))

    def begun(stop):
        raise SqlError("not any more")

    with pytest.raises(SqlError, match="not any more"):
        answer_in_process("FROM steps", {1: trace}, begun)
    assert set(children(os.getpid())) <= before


@pytest.mark.parametrize(
    "query",
    ["SHOW TABLES", "SELECT table_name FROM information_schema.tables ORDER BY table_name"],
)
def test_a_query_can_ask_which_tables_there_are(trace, query):
    assert [name for (name,) in answer(query, {1: trace}).rows] == sorted(TABLES)


def test_a_query_of_bytes_that_are_no_text_is_one_line(trace):
    with pytest.raises(SqlError, match="not text"):
        answer("SELECT '\udcff'", {1: trace})
