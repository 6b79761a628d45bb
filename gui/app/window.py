"""The main window: builds its parts and connects them; the parts do the work."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QElapsedTimer, QSize
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QMainWindow

from core.engine.messages import Outcome
from core.explain.lanes import Gap
from core.plan.lanes import Hardware
from core.plan.specification import Specification
from core.trace.trace import Trace
from gui.app.banner import Banner
from gui.app.bars import RunBar, StatusLine
from gui.app.centre import Centre
from gui.app.docks import Panels, make_docks, size_docks
from gui.app.layouts import column_of
from gui.app.panes import Panes
from gui.app.session import Run, Session
from gui.app.settings import Settings
from gui.app.status import lane_notes
from gui.compare.comparing import Comparing
from gui.compare.frame import CompareFrame
from gui.explanations.bubbles import Bubbles
from gui.explanations.explaining import Explainer
from gui.figures.titles import run_title
from gui.first_page.tries import Tries
from gui.look.colour_control import ColourControl
from gui.look.label import plain_tip
from gui.look.text import tr
from gui.look.theme import DARK, LIGHT, THEMES, apply
from gui.menus.commands import form_commands, menu_commands, run_commands
from gui.menus.keys import KeySheet, sections
from gui.menus.lane_menu import LaneMenu
from gui.menus.menus import Menus
from gui.menus.palette import Command, Palette
from gui.menus.recent import RecentMenu
from gui.recordings.exporting import Exporting
from gui.recordings.files import Files, dropped_paths
from gui.runs.check import Checked
from gui.runs.faults import banner_text, faults_of
from gui.runs.in_turn import InTurn
from gui.runs.rounds import Part, Rounds
from gui.search.bookmarks import Marking
from gui.search.finding import Finder
from gui.timeline.interact.overview import Overview
from gui.timeline.interact.view import TimelineView
from gui.timeline.paint.scene import Scene
from gui.timeline.state.selection import Selection, TimeRange
from gui.timeline.state.viewport import Viewport

SIZE = QSize(1440, 900)
FIGURES_MS = 400  # between two rounds of panels and figures while a run is live
FRAME_MS = 30  # between two frames of a live timeline
NOTE_MS = 6000
IN_BAR = ("why", "whatif", "advisor")  # docks that the tool bar shows and hides


class MainWindow(QMainWindow):
    """Signals of the session come in here, and setters of the parts go out."""

    def __init__(self, session: Session, settings: Settings) -> None:
        super().__init__()
        self.settings = settings
        self.setWindowTitle("Bubblescope")
        self.setObjectName("window")
        self.session = session
        self.run_shown: Run | None = None
        self.scene: Scene | None = None
        self._figures, self._frame = Rounds(FIGURES_MS), QElapsedTimer()
        self.banner, self.explainer = Banner(), Explainer(self)
        self.files = Files(self, self, session, self.banner, settings)
        self.exporting = Exporting(self, self, self.banner, settings)
        self._name_panels(Panels(session, settings))
        self.timeline = TimelineView()
        self.overview = Overview(self.timeline.state)
        frames = CompareFrame(self.timeline)
        run_page = column_of(self.panels.search, frames, self.overview, growing=frames)
        notices = (self.banner, self.files.opening)
        self.centre = Centre(notices, run_page, self.timeline.set_waiting, settings)
        self.tabs, self.welcome = self.centre.tabs, self.centre.welcome
        self.setCentralWidget(self.centre)
        self._docks = make_docks(self, self.panels)
        self.comparing = Comparing(self, frames, self.panels.compare, session, settings)
        self.marking = Marking(self.timeline, self.panels.marks)
        self.bubbles, self.in_turn = Bubbles(self.timeline, self.note), InTurn(self.run_instead)
        self.tries = Tries(self.in_turn, self.files, self.bubbles, self.comparing)
        self.panes = Panes(lambda: [self.form, self.centre, *self._docks.values()])
        self.command_palette = Palette(self, self.commands)
        self.lane_menu = LaneMenu(self.timeline, settings)
        self.colours = ColourControl(settings, self)
        self.finder = Finder(self.panels.search, self.panels.spans, self.timeline, self.overview)
        menus = self._menus = Menus(self)
        self.actions_by_name = menus.actions
        menus.actions[f"colour_by_{self.colours.by}"].setChecked(True)
        menus.list_docks(self._docks.values())
        in_bar = [self._docks[name].toggleViewAction() for name in IN_BAR]
        self.bar, self.status = RunBar(menus.actions, in_bar), StatusLine(self.statusBar())
        self.addToolBar(self.bar)
        self._recent = RecentMenu(menus.menu("File/Open recent"), settings, self.files.open_from)
        self.setAcceptDrops(True)
        self.comparing.attach(menus.actions, self._docks["compare"], self.overview)
        self._connect()
        self._restore()

    # What the session says

    def set_hardware(self, hardware: Hardware) -> None:
        """The engine is there and knows the machine."""
        self.form.set_hardware(hardware)
        self.status.engine.setText(tr("engine ready"))

    def lose_engine(self, text: str) -> None:
        """The engine is gone, and no run was under way."""
        self.status.engine.setText(tr("no engine"))
        self.banner.say(f"{_sentence(text)} {tr('Run starts it afresh.')}")

    def begin(self, run: Run) -> None:
        """A run has begun: show it and follow it."""
        self.banner.hide()
        self.centre.wait("")
        self.runs.add(run)
        self._show(run)
        self._figures.begin()

    def tick(self) -> None:
        """A tick of a live run: bars grow at every frame, figures follow more slowly."""
        run = self.run_shown
        if run is None or not run.live or self.scene is None:
            return
        due = not self._frame.isValid() or self._frame.hasExpired(FRAME_MS)
        if due:
            self._frame.start()
            self.scene.update()
            self.timeline.state.refresh(run.now)
        if not due or self._figures.starved:
            self._figures.step(self._figure_parts)

    def end(self, run: Run) -> None:
        """A run is over; what it recorded stays."""
        self.centre.wait("")
        self.runs.update_run(run)
        self.tabs.update_run(run)
        if run.outcome is Outcome.FAILED:
            kept = tr("What was recorded is kept; press Run to start afresh.")
            self.banner.say(f"{_sentence(run.text or tr('The run failed.'))} {kept}")
        elif faults := faults_of(run.trace):
            self.banner.say(banner_text(faults), "warning")
        elif run.outcome is Outcome.STOPPED:
            self.note(_sentence(run.text or tr("Stopped; what was recorded is kept.")))
        if run is self.run_shown and self.scene is not None:
            self.scene.update()
            self._update_figures()
            self.timeline.state.refresh(None)
            self.predictions.show_run(run)

    def refuse(self, text: str) -> None:
        """The engine would not run what was asked for."""
        self.centre.wait("")
        self.in_turn.forget()
        self.banner.say(text)

    # What the user does

    def run(self) -> None:
        """Run what the form says, unless it cannot run or something runs already."""
        self.form.check_now()
        if isinstance(self.form.result, str) or self.session.asking:
            return
        self.banner.hide()
        self.settings.specification = self.form.specification()
        self.centre.wait(tr("Preparing the run…"))
        self.session.run(self.form.specification())

    def set_following(self, following: bool) -> None:
        """Follow the present, or stay where one is."""
        if following:
            self.timeline.navigator.follow()
        self.actions_by_name["follow"].setChecked(self.timeline.state.following)

    def show_memory(self, shown: bool) -> None:
        """Show what each lane holds below it, or do not, and remember it."""
        self.settings.memory = shown
        self.timeline.state.show_strips(memory=shown)

    def show_prediction(self, shown: bool) -> None:
        """Show the prediction below each lane, or do not, and remember it."""
        self.settings.prediction = shown
        self.timeline.state.show_strips(prediction=shown)

    def show_critical_path(self, shown: bool) -> None:
        """Show the critical path over the lanes, or do not, and remember it."""
        self.settings.critical_path = shown
        self.timeline.state.show_strips(path=shown)

    def toggle_theme(self, dark: bool) -> None:
        """Change between light and dark, and remember it."""
        self.settings.theme = (DARK if dark else LIGHT).name
        self._apply_theme()

    def show_sheet(self) -> None:
        """Show keys and mouse, or close them."""
        sheet = self.findChild(KeySheet)
        if sheet is None:
            KeySheet(sections(self.menuBar()), self).show()
        else:
            sheet.close()

    def show_run(self, run: Run) -> None:
        """Show a run of this sitting, or one that was opened just now."""
        if run.source is not None and run is self.session.runs[-1]:
            self.runs.add(run)
        self._show(run)

    def add_run(self, run: Run) -> None:
        """List a run that was predicted, and show it."""
        self.runs.add(run)
        self._show(run)

    def run_instead(self, specification: Specification) -> bool:
        """Put other settings into the form and run them; whether they can run."""
        self.form.set_specification(specification)
        if isinstance(self.form.result, str):
            self.banner.say(tr("This cannot run here. {reason}", reason=self.form.result))
        else:
            self.run()
        return self.session.asking

    def commands(self) -> list[Command]:
        """What the command palette offers now."""
        self._recent.refresh()
        return [
            *menu_commands(self.menuBar()),
            *run_commands(self.session.runs, self.show_run),
            *form_commands(self.form, self._docks["strategy"].show),
        ]

    def show_comparison(self, run: Run) -> None:
        """Show the prediction of a run beside what was measured, if it is there."""
        if run is self.run_shown:
            self.timeline.state.set_prediction(run.ghost, lane_notes(run.comparison))
            self.status.show_comparison(run)

    def visible_part(self) -> Viewport:
        """The time that is visible."""
        return self.timeline.state.viewport

    def theme_name(self) -> str:
        """Name of the theme."""
        return THEMES.get(self.settings.theme, LIGHT).name

    def memory_shown(self) -> bool:
        """Whether what the lanes hold is shown below them."""
        return self.timeline.state.strips.memory

    def path_shown(self) -> bool:
        """Whether the critical path is shown."""
        return self.timeline.state.strips.path

    def prediction_shown(self) -> Trace | None:
        """The prediction that is shown below the lanes, or None."""
        shown = self.scene is not None and self.timeline.state.strips.ghosts
        return self.scene.prediction if shown and self.scene is not None else None

    def note(self, text: str) -> None:
        """Say for a while in the status bar that something was done."""
        self.statusBar().showMessage(text, NOTE_MS)

    # Showing

    def _show(self, run: Run) -> None:
        self.centre.show_run_page()
        if run is self.run_shown:
            return
        self._leave()
        kept = self.tabs.open(run)
        self.run_shown = run
        self.scene = Scene(run.trace) if kept.scene is None else kept.scene
        self.scene.update()
        self.timeline.state.show_scene(self.scene, run.live, kept.saved)
        if kept.saved is None:
            self.panels.show_step(None)
        self.marking.show_run(run)
        self.show_comparison(run)
        self.predictions.show_run(run)
        self.runs.mark(run)
        self.setWindowTitle(f"{run_title(run.trace)} – Bubblescope")
        self._update_figures()
        self.comparing.show_run()

    def _leave(self) -> None:
        """Keep in its tab how one stood in the run that is shown."""
        if self.run_shown is not None:
            self.tabs.leave(self.run_shown, self.scene, self.timeline.state.saved)

    def _show_instead(self, run: Run | None) -> None:
        """A tab was closed: show this run now, or nothing."""
        if run is not None:
            self._show(run)
            return
        self.run_shown = self.scene = None
        self.timeline.state.show_scene(None)
        self.marking.show_run(None)
        for part in (self.panels, self.bar, self.status):
            part.show_nothing()
        self.setWindowTitle("Bubblescope")
        self.comparing.show_run()
        self.centre.show_first_page()

    def _update_figures(self) -> None:
        """Everything beside the timeline: labels, panels, status."""
        for part in self._figure_parts():
            part()
        self._figures.begin()

    def _figure_parts(self) -> list[Part]:
        run, scene = self.run_shown, self.scene
        if run is None or scene is None:
            return []
        return [
            partial(scene.sum_up, live=run.live),
            partial(self.colours.show_scene, scene, run.live),
            self.overview.refresh,
            *self.panels.parts(scene, run.live),
            partial(self.runs.update_run, run),
            partial(self.bar.show_run, run, scene),
            partial(self.status.show_run, run, self.session.behind_s if run.live else 0.0),
        ]

    def _colour(self) -> None:
        """Draw in the colours of something else."""
        self.timeline.state.refresh(self.timeline.state.now)
        self.overview.refresh()

    def _show_selection(self, selection: Selection | None) -> None:
        run, scene = self.run_shown, self.scene
        report, note = None, ""
        if run is not None and scene is not None and isinstance(selection, Gap):
            report, note = self.explainer.reason(scene.explained, selection, run.live)
        trace, now = (run.trace, run.now) if run else (None, None)
        measure = self.timeline.selector.measure
        self.details.show_selection(trace, selection, now, report, measure, note)
        step = None if selection is None or isinstance(selection, TimeRange) else selection.step
        self.panels.show_step(step)
        if selection is None or isinstance(selection, TimeRange):
            self.panels.statistics.show_range(scene, selection)
        lists = (self.panels.spans.table, self.runs)  # who walks through one stays in it
        if selection is not None and not any(part.hasFocus() for part in lists):
            self._docks["statistics" if isinstance(selection, TimeRange) else "details"].raise_()

    def _show_explained(self) -> None:
        """A step that takes long has been explained."""
        self._update_figures()
        if isinstance(self.timeline.state.selection, Gap):
            self._show_selection(self.timeline.state.selection)

    def _select_longest(self, lane: int, index: int) -> None:
        self.timeline.selector.select_span(lane, index)
        self._docks["statistics"].raise_()

    def _allow(self, *_: object) -> None:
        """Run and Stop are there when they can do something."""
        checked: Checked | str = self.form.result
        asking = self.session.asking
        run, stop = self.actions_by_name["run"], self.actions_by_name["stop"]
        run.setEnabled(not asking and not isinstance(checked, str))
        stop.setEnabled(asking)
        self.bar.set_asking(asking)
        if isinstance(checked, str):
            run.setToolTip(plain_tip(checked))
        else:
            self.predictions.show_settings(self.form.specification())
            run.setToolTip(
                tr("A run is under way.") if asking else tr("Run what the form says. (F5)")
            )

    # Building

    def _name_panels(self, panels: Panels) -> None:
        self.panels, self.predictions = panels, panels.predictions
        self.form, self.runs, self.details, self.log = (
            panels.form, panels.runs, panels.details, panels.log,
        )  # fmt: skip
        self.batch, self.devices, self.buckets = panels.batch, panels.devices, panels.buckets
        self.steps, self.why = panels.steps, panels.why

    def _connect(self) -> None:
        session, timeline = self.session, self.timeline
        session.ready.connect(self.set_hardware)
        session.run_started.connect(self.begin)
        session.ticked.connect(self.tick)
        session.run_ended.connect(self.end)
        session.refused.connect(self.refuse)
        session.run_ended.connect(self.in_turn.end)
        session.engine_failed.connect(self.lose_engine)
        session.warned.connect(self.banner.say)
        session.asking_changed.connect(self._allow)
        self.form.checked.connect(self._allow)
        self.predictions.compared.connect(self.show_comparison)
        self.predictions.ghosts.failed.connect(self.banner.say)
        self.predictions.made.connect(self.add_run)
        self.predictions.wanted.connect(self.run_instead)
        self.predictions.what_if.said.connect(self.note)
        self.predictions.what_if.failed.connect(self.banner.say)
        self.runs.chosen.connect(self.show_run)
        self.comparing.opened.connect(self.runs.add)
        self.comparing.said.connect(self.note)
        self.comparing.failed.connect(self.banner.say)
        self.tabs.chosen.connect(self._show)
        self.tabs.closed.connect(self._show_instead)
        self.welcome.opened.connect(self.files.open_from)
        self.welcome.tried.connect(self.tries.do)
        timeline.state.selection_changed.connect(self._show_selection)
        timeline.state.following_changed.connect(self.actions_by_name["follow"].setChecked)
        timeline.reduction_changed.connect(self.status.set_per_pixel)
        self.colours.theme_changed.connect(self._apply_theme)
        self.colours.scene_changed.connect(self._colour)
        self.panels.spans.said.connect(self.note)
        self.panels.spans.failed.connect(self.banner.say)
        self.steps.chosen.connect(timeline.navigator.fit_between)
        self.details.holder_chosen.connect(timeline.selector.select_task)
        self.why.task_chosen.connect(timeline.selector.select_task)
        self.why.asked.connect(self.explainer.ask)
        self.explainer.explained.connect(self._show_explained)
        self.panels.statistics.span_chosen.connect(self._select_longest)
        for part in (self.panels.statistics, self.marking):
            part.said.connect(self.note)
        self.marking.failed.connect(self.banner.say)
        self.actions_by_name["critical_path"].setIconText(tr("Outline"))
        self.why.path_button.setDefaultAction(self.actions_by_name["critical_path"])

    def _restore(self) -> None:
        self._apply_theme()  # a style polishes all that is there: once, and before it is measured
        self.resize(SIZE)
        kept = self.settings.window
        if kept is None:
            size_docks(self, self._docks)
        else:
            self.restoreGeometry(kept[0])
            self.restoreState(kept[1])
        self.form.set_specification(self.settings.specification)
        self.actions_by_name["follow"].setChecked(True)
        self._restore_strips()
        self.lane_menu.attach(self.actions_by_name)
        self.centre.show_first_page()
        self._allow()

    def _restore_strips(self) -> None:
        for name, shown in (
            ("memory", self.settings.memory),
            ("prediction", self.settings.prediction),
            ("critical_path", self.settings.critical_path),
        ):
            self.actions_by_name[name].setChecked(shown)
        self.show_memory(self.settings.memory)
        self.show_prediction(self.settings.prediction)
        self.show_critical_path(self.settings.critical_path)

    def _apply_theme(self) -> None:
        theme = self.colours.theme
        apply(QApplication.instance(), theme)
        self.actions_by_name["theme"].setChecked(theme.name == DARK.name)
        self.colours.refresh()
        for part in (self.timeline.state, self.welcome, self.panels, self.comparing):
            part.set_theme(theme)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: D102
        if dropped_paths(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: D102
        event.acceptProposedAction()
        self.files.open_paths(dropped_paths(event.mimeData()))

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: D102
        self.settings.window = (self.saveGeometry(), self.saveState())
        self.settings.specification = self.form.specification()
        self.settings.save()
        self.files.close()
        self.predictions.close()
        self.comparing.close()
        self.explainer.close()
        self.session.close()
        super().closeEvent(event)


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."
