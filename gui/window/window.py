"""The main window: builds its parts and connects them; the parts do the work."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QAction, QCloseEvent
from PySide6.QtWidgets import QApplication, QMainWindow

from core.engine.messages import Outcome
from core.recording.stream import Opened
from core.trace.trace import Trace
from gui.app.banner import Banner
from gui.app.explaining import Explainer
from gui.app.faults import banner_text, faults_of
from gui.app.jobs import close_all
from gui.app.live_figures import LiveFigures, Part
from gui.app.run_names import shown_title
from gui.app.session import Run, Session, opened_files
from gui.app.settings import Settings
from gui.features.blocks.cutting import Cutting
from gui.features.bookmarks.bookmarking import Bookmarking
from gui.features.bubbles.bubbles import Bubbles
from gui.features.compare.comparing import Comparing
from gui.features.compare.frame import CompareFrame
from gui.features.figures.exporting import Exporting
from gui.features.figures.trace_exports import TraceExports
from gui.features.first_page.actions import FirstPageActions
from gui.features.keys.keys import KeySheets
from gui.features.lessons.lessons import Lessons
from gui.features.lessons.menu import LessonMenu
from gui.features.lessons.pointing import Pointer
from gui.features.listen.listening import Listening
from gui.features.palette.commands import all_commands
from gui.features.palette.palette import Palette
from gui.features.recordings.drops import FileDrops
from gui.features.recordings.files import Files
from gui.features.recordings.recent import RecentMenu
from gui.features.run.control import RunControl
from gui.features.runs.menu import RunMenu
from gui.features.spans.finding import Finder
from gui.features.status.bars import RunBar, StatusLine
from gui.features.status.words import doubt_text, lane_notes
from gui.features.sweep.sweeping import Sweeping
from gui.features.verdict.judging import Judge
from gui.features.verdict.line import VerdictLine
from gui.features.view.colours import ColourControl
from gui.features.view.options import ViewOptions
from gui.look.text import sentence, tr
from gui.look.theme import DARK, apply
from gui.menus.menus import Menus
from gui.timeline.interact.overview import Overview
from gui.timeline.interact.view import TimelineView
from gui.timeline.state.scene import Scene
from gui.widgets.layouts import bring, column_of
from gui.window.centre import Centre
from gui.window.compact import CompactLayout
from gui.window.dock_tabs import DockTabs
from gui.window.docks import LowDocks, Panels, front_action, make_docks, restore_docks, size_docks
from gui.window.leaving import Leaving
from gui.window.panes import Panes
from gui.window.selection_panels import SelectionPanels

SIZE = QSize(1440, 900)
NOTE_MS = 6000
IN_BAR = ("why", "whatif", "advisor")  # docks that the tool bar shows and hides


class MainWindow(QMainWindow):
    """Signals of the session come in here, and setters of the parts go out.

    `language_chosen` asks for a window in another language in the place of this one. While the
    bars of `run_shown` stay, `coming` is the run that has none yet.
    """

    language_chosen = Signal(str)

    def __init__(self, session: Session, settings: Settings) -> None:
        super().__init__()
        self.setWindowTitle("Bubblescope")
        self.setObjectName("window")
        self.session, self.settings = session, settings
        self.run_shown: Run | None = None
        self.scene: Scene | None = None
        self.coming: Run | None = None
        session.records_arrived.connect(self._grow)
        session.run_ended.connect(self._grow)  # first: whoever hears of an end finds it shown
        # In this order: parts are handed those that they need, which are there by then.
        self._make_panels()
        self._make_controllers()
        self._make_menus()
        self._connect()
        self._restore()

    # Building

    def _make_panels(self) -> None:
        """What is seen: the timeline and the first page in the centre, panels in docks around."""
        panels = self.panels = Panels(self.session, self.settings)
        self.predictions, self.form, self.log = panels.predictions, panels.form, panels.log
        self.runs, self.steps, self.details = panels.runs, panels.steps, panels.details
        self.batch, self.devices, self.buckets = panels.batch, panels.devices, panels.buckets
        self.why, self.banner, self.verdict = panels.why, Banner(), VerdictLine()
        self.files = Files(self, self, self.session, self.banner, self.settings)
        self.timeline = TimelineView()
        self.overview = Overview(self.timeline.state)
        frames = CompareFrame(self.timeline)
        run_page = column_of(self.verdict, panels.search, frames, self.overview, growing=frames)
        notices = (self.banner, self.files.opening)
        self.centre = Centre(notices, run_page, self.timeline.set_waiting, self.settings)
        self.tabs, self.welcome = self.centre.tabs, self.centre.welcome
        self.setCentralWidget(self.centre)
        self.docks = make_docks(self, panels)
        self._dock_tabs, self._low_docks = DockTabs(self), LowDocks(self, self.docks)
        CompactLayout(self, self.verdict, self.overview, self._low_docks)
        self.comparing = Comparing(self, frames, panels.compare, self.session, self.settings)

    def _make_controllers(self) -> None:
        """What works between the panels, the session and the rest of the program."""
        session, settings, panels, docks = self.session, self.settings, self.panels, self.docks
        self.live = LiveFigures(
            self, lambda: self.run_shown is not None and self.run_shown.live,
            self._draw_frame, self._figure_parts,
        )  # fmt: skip
        self.explainer, self.judge = Explainer(self), Judge(self)
        self.exporting = Exporting(self, self, self.timeline, self.explainer, self.banner, settings)
        self.trace_exports = TraceExports(self, self.exporting, self.banner)
        self.bookmarking = Bookmarking(self.timeline, panels.bookmarks)
        self.bubbles = Bubbles(self.timeline, self.note)
        self.control = RunControl(self.form, session, settings, self.banner, self.centre.wait)
        self.cutting = Cutting(
            panels.blocks, self.form, session, self.control.run_beside, self.predictions.service
        )
        self.sweeping = Sweeping(self, panels.sweep, self.form, session, settings)
        self.sweeping.attach(docks["sweep"])
        pointer = Pointer(self, self.timeline, self.verdict, docks)
        self.lessons = Lessons(
            self, panels.lesson, docks["lesson"], pointer, session, settings,
            self.control.run_beside,
        )  # fmt: skip
        self.first_page_actions = FirstPageActions(
            self.control.queue, self.files, self.bubbles, self.comparing
        )
        self.run_menu = RunMenu(
            self, lambda: self.run_shown, session, self.control, self.tabs, self.runs,
            partial(bring, docks["strategy"]),
        )  # fmt: skip
        self.listening = Listening(self, session)
        self.leaving = Leaving(self, session, settings, self.banner.say)
        self.selection_panels = SelectionPanels(
            self, session, self.timeline, panels, docks, self.explainer
        )
        self.view_options = ViewOptions(self.timeline, settings)
        self.colours = ColourControl(settings, self)
        self.finder = Finder(panels.search, panels.spans, self.timeline, self.overview)

    def _make_menus(self) -> None:
        """Actions, and all that one can start them from: menus, palette, keys, tool bar."""
        left, *others = self.docks.values()
        self.panes = Panes(
            self,
            lambda: [left, self.timeline if self.timeline.isVisible() else self.centre, *others],
        )
        self.commands = partial(
            all_commands, self.menuBar(), self.session, self.form, self.docks["strategy"].show,
            self.show_run, self.files.open_from,
        )  # fmt: skip
        self.command_palette, self.key_sheets = Palette(self, self.commands), KeySheets(self)
        menus = self._menus = Menus(self)
        self.actions_by_name = menus.actions
        menus.actions[f"colour_by_{self.colours.by}"].setChecked(True)
        fronts = {name: front_action(dock) for name, dock in self.docks.items()}
        menus.list_docks(fronts.values())
        in_bar = [fronts[name] for name in IN_BAR]
        self.bar, self.status = RunBar(menus.actions, in_bar), StatusLine(self.statusBar())
        self.addToolBar(self.bar)
        self.control.attach(menus.actions, self.bar, self.status)
        recent = menus.menu("File/Open recent")
        self.recent = RecentMenu(recent, self.settings, self.files.open_from)
        # Nothing refers to these two: the menu and the window, their parents, keep them.
        LessonMenu(menus.menu("Help/Lessons"), self.lessons.open)
        FileDrops(self, self.files.open_paths)
        self.comparing.attach(menus.actions, self.docks["compare"], self.overview)

    def _connect(self) -> None:
        session, timeline = self.session, self.timeline
        session.run_started.connect(self.begin)
        session.ticked.connect(self.live.tick)
        session.run_ended.connect(self.end)
        session.warned.connect(self.banner.say)
        self.bookmarking.stepped.connect(self.show_stepped)
        self.panels.statistics.explain.clicked.connect(self.bookmarking.explain_range)
        self.control.planned.connect(self.predictions.show_settings)
        self.predictions.ghosts.ready.connect(self.show_comparison)
        self.predictions.what_if.drawn.connect(
            lambda recording: self.show_run(session.add_predicted(recording))
        )
        self.predictions.advisor_panel.chosen.connect(self.control.run_instead)
        self.runs.chosen.connect(self.show_run)
        self.sweeping.opened.connect(self.show_run)
        self.comparing.choice.opened.connect(self.runs.add)
        self.tabs.chosen.connect(self._show)
        self.tabs.closed.connect(self._show_instead)
        for listed in (self.tabs, self.runs):
            listed.menu_wanted.connect(self.run_menu.popup)
        self.run_menu.renamed.connect(self.live.update)
        self.welcome.opened.connect(self.files.open_from)
        self.welcome.taught.connect(self.lessons.open)
        self.lessons.opened.connect(self.show_run)
        self.welcome.tried.connect(self.first_page_actions.do)
        step_changed = timeline.step_on_screen.changed
        step_changed.connect(self.selection_panels.show_step)
        step_changed.connect(lambda: self.bar.show_step(self.run_shown, self.scene))
        timeline.state.following_changed.connect(self.actions_by_name["follow"].setChecked)
        timeline.reduction_changed.connect(self.status.set_per_pixel)
        self.colours.theme_changed.connect(self._apply_theme)
        self.colours.scene_changed.connect(lambda: timeline.state.refresh(timeline.state.now))
        self.colours.scene_changed.connect(self.overview.refresh)
        self.colours.scene_changed.connect(self.comparing.frame.colour)
        self.judge.text_changed.connect(self.verdict.show_text)
        self.judge.text_changed.connect(self.status.show_verdict)
        self.judge.judged.connect(self.why.show_verdict)
        self.judge.suggested.connect(self.verdict.suggest)
        self.predictions.advisor.advised.connect(self.verdict.advise)
        self.predictions.advisor.outcome.connect(self.verdict.show_outcome)
        self.verdict.opened.connect(partial(bring, self.docks["why"]))
        self.verdict.chosen.connect(self.form.set_specification)
        self.verdict.chosen.connect(lambda _: bring(self.docks["strategy"]))
        self.steps.chosen.connect(timeline.navigator.fit_between)
        self.details.blocking_task_chosen.connect(timeline.selector.select_task)
        self.why.path.chosen.connect(timeline.selector.select_task)
        self.why.asked.connect(self.explainer.ask)
        self.explainer.explained.connect(self.live.update)
        self.explainer.explained.connect(self.selection_panels.show_gap_again)
        savers = (
            self.predictions.what_if,
            self.sweeping.files,
            self.comparing.files,
            self.exporting,
            self.panels.spans,
        )
        for saver in savers:
            saver.inputs = lambda: opened_files(self.session.runs)
        both = (*savers, self.bookmarking)
        for source in (*both, self.comparing.aligner, self.panels.statistics):
            source.message.connect(self.note)
        for part in (
            *both, self.comparing.choice, self.lessons, self.predictions.ghosts, self.live.runner
        ):  # fmt: skip
            part.failed.connect(self.banner.say)
        self.actions_by_name["critical_path"].setIconText(tr("Outline"))
        self.why.path_button.setDefaultAction(self.actions_by_name["critical_path"])

    def _restore(self) -> None:
        self._apply_theme()  # a style polishes all that is there: once, and before it is measured
        self.resize(SIZE)
        kept = self.settings.window
        if kept is None:
            size_docks(self, self.docks)
        else:
            # In this order: docks are fitted into the size that the window has by then.
            self.restoreGeometry(kept[0])
            restore_docks(self, kept[1])
        self.control.restore()
        self.actions_by_name["follow"].setChecked(True)
        self.view_options.attach(self.actions_by_name)
        language = self.settings.language or "system"
        self.actions_by_name.get(f"language_{language}", QAction()).setChecked(True)
        self.centre.show_first_page()
        self._low_docks.set_low("first page", True)
        self.centre.pages.currentChanged.connect(
            lambda page: self._low_docks.set_low("first page", page == 0)
        )
        self.control.allow()
        self.timeline.setFocus()

    def _apply_theme(self) -> None:
        theme = self.colours.theme
        apply(QApplication.instance(), theme)
        self.actions_by_name["theme"].setChecked(theme.name == DARK.name)
        self.colours.refresh()
        for part in (
            self.timeline.state, self.welcome, self.panels, self.comparing, self._dock_tabs,
            self.lessons,
        ):  # fmt: skip
            part.set_theme(theme)

    # What the session says

    def begin(self, run: Run) -> None:
        """A run has begun: show it and follow it, the last one's bars until it has some."""
        self.banner.hide()
        self.centre.wait("")
        self.runs.add(run)
        if self.sweeping.running:
            return
        if self.run_shown is None:
            self._show(run)
        else:
            self.coming = run
            self.bar.show_coming(run)

    def end(self, run: Run) -> None:
        """A run is over; what it recorded stays."""
        self.centre.wait("")
        self.runs.update_run(run)
        self.tabs.update_run(run)
        if run.outcome is Outcome.FAILED:
            kept = tr("What was recorded is kept; press Run to start afresh.")
            self.banner.say(f"{sentence(run.text or tr('The run failed.'))} {kept}")
        elif faults := faults_of(run.trace):
            self.banner.say(banner_text(faults), "warning")
        elif run.outcome is Outcome.STOPPED:
            self.note(sentence(run.text or tr("Stopped; what was recorded is kept.")))
        if run is self.run_shown and self.scene is not None:
            self.scene.update()
            # Without a present, as no bar grows any more.
            self.timeline.state.refresh(None)
            self.live.update()
            self.predictions.show_run(run)

    def _grow(self, run: Run) -> None:
        """Rows of a run have come, or it is over."""
        if run is self.coming:
            if run.trace.span_count or not run.live:
                self._show(run)
            else:
                self.bar.show_coming(run)

    # What the user does

    def show_run(self, run: Run) -> None:
        """Show a run of this sitting, or one that was opened or predicted just now."""
        self.runs.add(run)
        self._show(run)

    def show_stepped(self, trace: Trace, name: str = "") -> None:
        """Show the run that is shown with other steps, as a run of its own, perhaps with a name."""
        if self.run_shown is not None and self.run_shown.source is not None:
            run = self.session.add_opened(self.run_shown.source, Opened(trace))
            run.name, run.stepped = name, True
            self.show_run(run)

    def show_comparison(self, run: Run) -> None:
        """Show the prediction of a run beside what was measured, if it is there."""
        if run is self.run_shown:
            notes, why = lane_notes(run.comparison), doubt_text(run)
            self.timeline.state.set_prediction(run.ghost, notes, why)
            self.status.show_comparison(run)

    def note(self, text: str) -> None:
        """Say for a while in the status bar that something was done."""
        self.statusBar().showMessage(text, NOTE_MS)

    # Showing

    def _show(self, run: Run) -> None:
        self.coming = None
        # Even if its bars are there already: the first page may stand over them.
        self.centre.show_run_page()
        if run is self.run_shown:
            return
        if self.run_shown is not None:
            self.tabs.leave(self.run_shown, self.scene, self.timeline.state.saved)
            self.view_options.forget_path()
        kept = self.tabs.open(run)
        self.run_shown = run
        self.scene = Scene(run.trace) if kept.scene is None else kept.scene
        self.scene.update()
        self.timeline.state.show_scene(self.scene, run.live, kept.saved)
        self.bookmarking.show_run(run)
        self.verdict.show_run(run.trace.header)
        self.show_comparison(run)
        self.predictions.show_run(run)
        self.runs.mark(run)
        self.setWindowTitle(f"{shown_title(run)} – Bubblescope")
        self.live.update()
        self.comparing.show_run()

    def _show_instead(self, run: Run | None) -> None:
        """A tab was closed: show this run now, or nothing."""
        self.explainer.cancel()  # who still waits for a step asks again
        self.live.runner.cancel()
        if run is not None:
            self._show(run)
            return
        self.run_shown = self.scene = None
        self.timeline.state.show_scene(None)
        self.bookmarking.show_run(None)
        for part in (self.panels, self.bar, self.status, self.judge):
            part.show_nothing()
        self.setWindowTitle("Bubblescope")
        self.comparing.show_run()
        self.centre.show_first_page()

    def _draw_frame(self) -> None:
        """Let the bars of a live run grow."""
        if self.run_shown is not None and self.scene is not None:
            self.scene.update()
            self.timeline.state.refresh(self.run_shown.now)

    def _figure_parts(self) -> list[Part]:
        run, scene = self.run_shown, self.scene
        if run is None or scene is None:
            return []
        return [
            # First: the others show what is summed up here.
            scene.update_figures,
            partial(self.colours.show_scene, scene, run.live),
            self.overview.refresh,
            partial(self.judge.show_scene, scene, run.live),
            *self.panels.parts(scene, run.live),
            partial(self.runs.update_run, run),
            partial(self.bar.show_run, run, scene, self.coming),
            partial(self.status.show_run, run, self.session.backlog_s if run.live else 0.0),
        ]

    # Leaving

    def leave(self) -> None:
        """Keep what is kept between sittings, and end all work in the background."""
        # First: the docks' real heights are to be kept, not those of the first page.
        self._low_docks.restore()
        self.settings.window = (self.saveGeometry(), self.saveState())
        self.control.keep()
        self.settings.save()
        close_all(self)
        self.predictions.close()
        self.cutting.close()
        # Its parent is the session, which goes on where a window in another language takes over.
        self.predictions.deleteLater()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: D102
        # Spontaneous is what the window system asks for, by the frame. Who calls close() has asked
        # already, or is not to ask, as on a signal.
        if event.spontaneous() and not self.leaving.may_close():
            event.ignore()
            return
        self.leave()
        self.session.close()
        super().closeEvent(event)
