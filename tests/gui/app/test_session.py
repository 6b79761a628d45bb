"""The session handles all messages of the engine on one timer, and loses none."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pytest
from PySide6.QtCore import QTimer

from core.engine.client import EngineClient
from core.engine.messages import Ended, Outcome
from core.recording import spool
from core.recording.decode import append_batch, combined
from core.recording.recording import open_recording
from core.trace.trace import Trace
from gui.app import session as module
from gui.app.run import Run
from gui.app.session import Session
from tests.gui.fake_client import FakeClient
from tests.make_believe import HARDWARE, batches, record, specification, trace_of

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def session(client: FakeClient) -> Session:
    return Session(client)


def test_a_whole_run_arrives_in_order(session: Session, client: FakeClient, qtbot: object) -> None:
    said: list[str] = []
    session.ready.connect(lambda _: said.append("ready"))
    session.run_started.connect(lambda _: said.append("started"))
    session.records_arrived.connect(lambda _: said.append("rows"))
    session.run_ended.connect(lambda _: said.append("ended"))
    session.start()
    session.run(specification())
    client.perform(specification())
    qtbot.waitUntil(lambda: "ended" in said)
    assert said[:2] == ["ready", "started"]
    assert session.runs[0].outcome is Outcome.FINISHED
    assert session.live is None
    session.close()


def test_many_messages_are_handled_in_portions_and_none_is_lost(
    session: Session, client: FakeClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_SHARE_S", 0.0005)
    monkeypatch.setattr(module, "MOST_RECORDS", 100)
    spec = specification(steps=200)
    session.run(spec)
    client.perform(spec)
    session.tick()
    assert session.live is not None, "one tick must not take everything"
    ticks = 0
    while session.live is not None:
        session.tick()
        ticks += 1
    assert ticks > 1
    assert len(session.runs[0].trace.steps) == 202
    session.runs[0].save(tmp_path / "run.arrow")
    assert rows_in(tmp_path / "run.arrow") == sum(map(len, batches(spec)[1]))


def test_a_large_batch_is_handled_in_parts_and_each_row_once(
    session: Session, client: FakeClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[int] = []

    def append(trace: Trace, batch: pa.RecordBatch) -> None:
        taken.append(len(batch))
        append_batch(trace, batch)

    monkeypatch.setattr("gui.app.run.append_batch", append)
    monkeypatch.setattr(module, "MOST_RECORDS", 50)
    spec = specification(steps=20)
    header, made = batches(spec)
    plans = sum("plan" in batch["record"].to_pylist() for batch in made)
    session.run(spec)
    client.say(header, *made[:plans], combined(made[plans:]), Ended(Outcome.FINISHED))
    while session.live is not None or session.asking:
        session.tick()
    run = session.runs[0]
    assert max(taken) < 2 * 50 and sum(taken) == sum(map(len, made))
    assert list(run.trace) == list(trace_of(spec)) and run.trace.open_tasks == []
    run.save(tmp_path / "run.arrow")
    assert list(open_recording(tmp_path / "run.arrow").trace) == list(run.trace)


def rows_in(path: Path) -> int:
    with pa.OSFile(str(path)) as file:
        return pa.ipc.open_stream(file).read_all().num_rows


def test_combined_batches_give_the_same_trace_as_single_ones(
    session: Session, client: FakeClient
) -> None:
    spec = specification(steps=20)
    session.run(spec)
    client.perform(spec)
    while session.live is not None or session.asking:
        session.tick()
    taken, alone = session.runs[0].trace, trace_of(spec)
    assert list(taken) == list(alone) and taken.open_tasks == alone.open_tasks == []
    assert list(taken.logs) == list(alone.logs) and taken.steps == alone.steps


def test_the_session_knows_how_far_the_picture_lags_behind(
    session: Session, client: FakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(module, "MOST_SHARE_S", 0.0)  # no time for any message
    session.run(specification())
    client.perform(specification())
    assert session.backlog_s == 0
    session.tick()
    clock[0] += 2.5
    session.tick()
    assert session.backlog_s == 2.5


def test_a_run_that_does_not_fit_on_the_disk_is_shown_with_a_warning(
    session: Session, client: FakeClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(spool.os, "pwrite", full)
    warned: list[str] = []
    session.warned.connect(warned.append)
    session.run(specification())
    client.perform(specification())
    while session.asking:
        session.tick()
    session.runs[0].kept.wait()
    for _ in range(2):
        session.tick()
    assert len(warned) == 1 and warned[0].endswith("No space left on device")
    assert session.runs[0].trace.span_count
    with pytest.raises(OSError, match="was not kept: No space left on device"):
        session.runs[0].save(tmp_path / "run.arrow")
    assert not list(tmp_path.iterdir())


def test_one_timer_drains_everything(session: Session) -> None:
    assert len(session.findChildren(QTimer)) == 1


def test_a_refused_run_leaves_no_run(session: Session, client: FakeClient) -> None:
    refused: list[str] = []
    session.refused.connect(refused.append)
    session.run(specification())
    client.say(Ended(Outcome.REFUSED, "--batch 0: use 1 or more"))
    session.tick()
    assert refused == ["--batch 0: use 1 or more"]
    assert session.runs == []
    assert not session.asking


def test_a_run_that_is_stopped_before_it_begins_is_reported_as_stopped(
    session: Session, client: FakeClient
) -> None:
    reported: list[str] = []
    session.refused.connect(reported.append)
    session.run(specification())
    session.stop()
    client.say(Ended(Outcome.STOPPED))
    session.tick()
    assert reported == ["The run was stopped."]


@pytest.mark.starts_processes
def test_an_engine_that_cannot_be_started_is_reported_and_run_is_enabled_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.executable", "/there/is/no/python")
    session, said = Session(EngineClient()), list[str]()
    session.engine_failed.connect(said.append)
    session.refused.connect(said.append)
    session.start()
    session.run(specification())
    assert said == ["The engine cannot be started: No such file or directory."] * 2
    assert not session.asking
    session.close()


def test_a_dead_engine_loses_no_batch_that_was_received(
    session: Session, client: FakeClient, tmp_path: Path
) -> None:
    header, made = batches(specification())
    session.run(specification())
    client.say(header, *made[:7], Ended(Outcome.FAILED, "the engine died"))
    while session.asking:
        session.tick()
    run = session.runs[0]
    assert run.outcome is Outcome.FAILED
    run.save(tmp_path / "kept.arrow")
    opened = open_recording(tmp_path / "kept.arrow")
    assert opened.warning == ""
    assert opened.trace.span_count == run.trace.span_count > 0


def test_a_second_run_is_not_requested_during_a_run(session: Session, client: FakeClient) -> None:
    session.run(specification())
    session.run(specification("dp"))
    assert len(client.asked) == 1


def test_rows_that_arrive_after_the_end_change_no_other_run(
    session: Session, client: FakeClient
) -> None:
    header, made = batches(specification())
    session.run(specification())
    client.say(header, made[0], Ended(Outcome.STOPPED), made[2])
    session.tick()
    assert session.runs[0].trace.span_count == 0


def test_hardware_reaches_the_listeners(session: Session, client: FakeClient) -> None:
    seen: list[object] = []
    session.ready.connect(seen.append)
    client.say(HARDWARE)
    session.tick()
    assert seen == [HARDWARE]


def test_an_opened_recording_is_saved_as_it_was(session: Session, tmp_path: Path) -> None:
    record(specification(), tmp_path / "a.arrow")
    run, warning = session.open(tmp_path / "a.arrow")
    assert warning == ""
    run.save(tmp_path / "b.arrow")
    assert (tmp_path / "b.arrow").read_bytes() == (tmp_path / "a.arrow").read_bytes()


def test_saving_where_nothing_can_be_written_leaves_nothing(
    session: Session, tmp_path: Path
) -> None:
    record(specification(), tmp_path / "a.arrow")
    run, _ = session.open(tmp_path / "a.arrow")
    with pytest.raises(OSError, match=r"nowhere/b\.arrow cannot be written"):
        run.save(tmp_path / "nowhere" / "b.arrow")
    assert [path.name for path in tmp_path.iterdir()] == ["a.arrow"]


@pytest.mark.parametrize("opened", [True, False])
def test_a_run_is_saved_into_a_pipe(session: Session, tmp_path: Path, opened: bool) -> None:
    trace = record(specification(), tmp_path / "a.arrow")
    run, _ = session.open(tmp_path / "a.arrow")
    if not opened:
        run.source, run.kept = None, spool.Spool().begin(trace.header)
        for batch in batches(specification())[1]:
            run.kept.write(batch)
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit((tmp_path / "pipe").read_bytes)
        run.save(tmp_path / "pipe")
        (tmp_path / "b.arrow").write_bytes(read.result(30))
    assert open_recording(tmp_path / "b.arrow").trace.span_count == trace.span_count
    assert (tmp_path / "pipe").is_fifo()


def test_a_run_without_records_can_be_saved_while_it_receives_the_first(tmp_path: Path) -> None:
    header, made = batches(specification())
    run = Run(1, Trace(header), spool.Spool().begin(header))
    saving = run.saving(tmp_path / "run.arrow")
    next(saving)
    for batch in made:
        run.append(batch)
    run.kept.wait()
    for _ in saving:
        pass
    opened = open_recording(tmp_path / "run.arrow")
    assert (opened.warning, opened.trace.span_count) == ("", 0)
    assert not run.is_saved


def test_an_error_in_saving_a_received_run_names_the_requested_file(
    session: Session, client: FakeClient, tmp_path: Path
) -> None:
    session.run(specification())
    client.perform(specification())
    while session.asking:
        session.tick()
    with pytest.raises(OSError, match=r"nowhere/b\.arrow cannot be written: No such file"):
        session.runs[0].save(tmp_path / "nowhere" / "b.arrow")


def test_closing_ends_the_timer_and_the_engine(session: Session, client: FakeClient) -> None:
    session.start()
    session.close()
    assert client.closed
    assert not session.findChildren(QTimer)[0].isActive()


def test_empty_batches_that_arrive_together_are_accepted(
    session: Session, client: FakeClient
) -> None:
    header, made = batches(specification())
    empty = made[0].slice(0, 0)
    session.run(specification())
    client.say(header, empty, empty, Ended(Outcome.FINISHED))
    while session.asking:
        session.tick()
    assert session.runs[0].outcome is Outcome.FINISHED
    assert session.runs[0].trace.span_count == 0
