"""The main window: builds its parts and connects them; the parts do the work."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QSize, Qt
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QLabel,
    QMainWindow,
    QProgressBar,
    QSizePolicy,
    QTabWidget,
    QToolBar,
    QVBoxLayout,
    QWidget,
)

from core.engine.messages import Outcome
from core.explain.lanes import Gap
from core.plan.lanes import Hardware
from core.plan.specification import Specification
from core.trace.trace import Trace
from gui.actions import make_actions
from gui.banner import Banner
from gui.check import Checked
from gui.files import Files
from gui.keys import KeySheet
from gui.panels.batch import BatchPanel
from gui.panels.buckets import BucketsChart
from gui.panels.details import DetailsPanel
from gui.panels.devices import DevicesPanel
from gui.panels.log import LogPanel
from gui.panels.runs import RunsPanel
from gui.panels.sheet import scrolled
from gui.panels.steps import StepsPanel
from gui.panels.strategy import StrategyPanel
from gui.panels.why import WhyPanel
from gui.predictions import Predictions
from gui.session import Run, Session
from gui.settings import Settings
from gui.status import (
    lane_notes,
    predicted_text,
    predicted_tip,
    progress,
    recorded_text,
    sharing_text,
    step_text,
    verified_text,
)
from gui.text import tr
from gui.theme import DARK, LIGHT, THEMES, apply
from gui.timeline.export import run_title
from gui.timeline.overview import Overview
from gui.timeline.scene import Scene
from gui.timeline.selection import Selection, TimeRange
from gui.timeline.view import TimelineView
from gui.timeline.viewport import Viewport

SIZE = QSize(1440, 900)
FIGURES_MS = 400  # between two rounds of panels and figures while a run is live
FRAME_MS = 30  # between two frames of a live timeline
NOTE_MS = 6000
TITLED = ("batch", "devices", "why", "whatif", "advisor")


class MainWindow(QMainWindow):
    """Signals of the session come in here, and setters of the parts go out."""

    def __init__(self, session: Session, settings: Settings) -> None:
        super().__init__()
        self.settings = settings
        apply(QApplication.instance(), THEMES[self.theme_name()])  # before there is much to polish
        self.setWindowTitle("Bubblescope")
        self.setObjectName("window")
        self.session = session
        self.run_shown: Run | None = None
        self.scene: Scene | None = None
        self._per_pixel = 0.0
        self._figures, self._frame = QElapsedTimer(), QElapsedTimer()
        self._build_centre()
        self._build_docks()
        self.files = Files(self, self, session, self.banner, settings)
        self.actions_by_name = make_actions(self)
        self._build_toolbar()
        self._build_status()
        self._list_docks()
        self._connect()
        self._restore()

    # What the session says

    def set_hardware(self, hardware: Hardware) -> None:
        """The engine is there and knows the machine."""
        self.form.set_hardware(hardware)
        self._engine.setText(tr("engine ready"))

    def begin(self, run: Run) -> None:
        """A run has begun: show it and follow it."""
        self.banner.hide()
        self.timeline.set_waiting("")
        self.runs.add(run)
        self._show(run)
        self._figures.start()

    def tick(self) -> None:
        """A tick of a live run: bars grow at every frame, figures follow more slowly."""
        run = self.run_shown
        if run is None or not run.live or self.scene is None:
            return
        if not self._frame.isValid() or self._frame.hasExpired(FRAME_MS):
            self._frame.start()
            self.scene.update()
            self.timeline.refresh(run.now)
        if self._figures.hasExpired(FIGURES_MS):
            self._figures.start()
            self._update_figures()

    def end(self, run: Run) -> None:
        """A run is over; what it recorded stays."""
        self.timeline.set_waiting("")
        self.runs.update_run(run)
        if run.outcome is Outcome.FAILED:
            kept = tr("What was recorded is kept; press Run to start afresh.")
            self.banner.say(f"{_sentence(run.text or tr('The run failed.'))} {kept}")
        elif run.outcome is Outcome.STOPPED:
            self.note(_sentence(run.text or tr("Stopped; what was recorded is kept.")))
        if run is self.run_shown and self.scene is not None:
            self.scene.update()
            self._update_figures()
            self.timeline.refresh(None)
            self.overview.set_visible_part(self.timeline.view, None)
            self.predictions.show_run(run)

    def refuse(self, text: str) -> None:
        """The engine would not run what was asked for."""
        self.timeline.set_waiting("")
        self.banner.say(text)

    # What the user does

    def run(self) -> None:
        """Run what the form says, unless it cannot run or something runs already."""
        self.form.check_now()
        if isinstance(self.form.result, str) or self.session.asking:
            return
        self.banner.hide()
        self.settings.specification = self.form.specification()
        self.timeline.set_waiting(tr("Preparing the run…"))
        self.session.run(self.form.specification())

    def set_following(self, following: bool) -> None:
        """Follow the present, or stay where one is."""
        if following:
            self.timeline.follow()
        self.actions_by_name["follow"].setChecked(self.timeline.following)

    def show_memory(self, shown: bool) -> None:
        """Show what each lane holds below it, or do not, and remember it."""
        self.settings.memory = shown
        self.timeline.show_memory(shown)

    def show_prediction(self, shown: bool) -> None:
        """Show the prediction below each lane, or do not, and remember it."""
        self.settings.prediction = shown
        self.timeline.show_prediction(shown)

    def show_critical_path(self, shown: bool) -> None:
        """Show the critical path over the lanes, or do not, and remember it."""
        self.settings.critical_path = shown
        self.timeline.show_path(shown)

    def toggle_theme(self, dark: bool) -> None:
        """Change between light and dark, and remember it."""
        self.settings.theme = (DARK if dark else LIGHT).name
        self._apply_theme()

    def show_sheet(self) -> None:
        """Show keys and mouse."""
        KeySheet(self).show()

    def show_run(self, run: Run) -> None:
        """Show a run of this sitting, or one that was opened just now."""
        if run.source is not None and run is self.session.runs[-1]:
            self.runs.add(run)
        self._show(run)

    def add_run(self, run: Run) -> None:
        """List a run that was predicted, and show it."""
        self.runs.add(run)
        self._show(run)

    def run_instead(self, specification: Specification) -> None:
        """Put other settings into the form and run them."""
        self.form.set_specification(specification)
        if isinstance(self.form.result, str):
            self.banner.say(tr("This cannot run here. {reason}", reason=self.form.result))
        else:
            self.run()

    def show_comparison(self, run: Run) -> None:
        """Show the prediction of a run beside what was measured, if it is there."""
        if run is self.run_shown:
            self.timeline.set_prediction(run.ghost, lane_notes(run.comparison))
            self._predicted.setText(predicted_text(run.comparison))
            self._predicted.setToolTip(predicted_tip(run.comparison))

    def visible_part(self) -> Viewport:
        """The time that is visible."""
        return self.timeline.view

    def theme_name(self) -> str:
        """Name of the theme."""
        return THEMES.get(self.settings.theme, LIGHT).name

    def memory_shown(self) -> bool:
        """Whether what the lanes hold is shown below them."""
        return self.timeline.strips.memory

    def path_shown(self) -> bool:
        """Whether the critical path is shown."""
        return self.timeline.strips.path

    def prediction_shown(self) -> Trace | None:
        """The prediction that is shown below the lanes, or None."""
        shown = self.scene is not None and self.timeline.strips.ghosts
        return self.scene.prediction if shown and self.scene is not None else None

    def note(self, text: str) -> None:
        """Say for a while in the status bar that something was done."""
        self.statusBar().showMessage(text, NOTE_MS)

    # Showing

    def _show(self, run: Run) -> None:
        if run is self.run_shown:
            return
        self.run_shown = run
        self.scene = Scene(run.trace)
        self.timeline.show_scene(self.scene, run.live)
        self.overview.show_scene(self.scene)
        self.batch.show_step(None)
        self.show_comparison(run)
        self.predictions.show_run(run)
        self._title.setText(run_title(run.trace))
        self.setWindowTitle(f"{run_title(run.trace)} – Bubblescope")
        self._update_figures()

    def _update_figures(self) -> None:
        """Everything beside the timeline: labels, panels, status."""
        run, scene = self.run_shown, self.scene
        if run is None or scene is None:
            return
        scene.sum_up(live=run.live)
        self.overview.refresh()
        self.batch.show_scene(scene)
        self.devices.show_scene(scene)
        self.steps.show_scene(scene, run.live)
        self.why.show_scene(scene, run.live)
        self.buckets.show_scene(scene, run.live)
        self.log.show_trace(run.trace)
        self.runs.update_run(run)
        self._step.setText(step_text(run, scene))
        self._sharing.setText(sharing_text(run.trace))
        self._verified.setText(verified_text(run.trace))
        done, total = progress(run)
        self._progress.setRange(0, total)
        self._progress.setValue(done)
        self._say_recorded()

    def _say_recorded(self) -> None:
        if self.run_shown is not None:
            self._recorded.setText(recorded_text(self.run_shown.trace, self._per_pixel))

    def _set_per_pixel(self, per_pixel: float) -> None:
        self._per_pixel = per_pixel
        self._say_recorded()

    def _mark_visible(self) -> None:
        self.overview.set_visible_part(self.timeline.view, self.timeline.now)

    def _show_selection(self, selection: Selection | None) -> None:
        run, scene = self.run_shown, self.scene
        report = None
        if scene is not None and isinstance(selection, Gap):
            report = scene.explained.report(selection.lane, selection.start)
        trace, now = (run.trace, run.now) if run else (None, None)
        self.details.show_selection(trace, selection, now, report)
        step = None if selection is None or isinstance(selection, TimeRange) else selection.step
        self.batch.show_step(step)
        self.why.show_step(step)
        self.buckets.show_step(step)
        if selection is not None:
            self._docks["details"].raise_()

    def _allow(self, *_: object) -> None:
        """Run and Stop are there when they can do something."""
        checked: Checked | str = self.form.result
        asking = self.session.asking
        run, stop = self.actions_by_name["run"], self.actions_by_name["stop"]
        run.setEnabled(not asking and not isinstance(checked, str))
        stop.setEnabled(asking)
        self._progress_action.setVisible(asking)
        if isinstance(checked, str):
            run.setToolTip(checked)
        else:
            self.predictions.show_settings(self.form.specification())
            run.setToolTip(
                tr("A run is under way.") if asking else tr("Run what the form says. (F5)")
            )

    # Building

    def _build_centre(self) -> None:
        self.banner, self.timeline, self.overview = Banner(), TimelineView(), Overview()
        centre = QWidget()
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part in (self.banner, self.timeline, self.overview):
            column.addWidget(part)
        self.setCentralWidget(centre)

    def _build_docks(self) -> None:
        self.form = StrategyPanel()
        self.batch, self.devices, self.log = BatchPanel(), DevicesPanel(), LogPanel()
        self.details, self.runs, self.steps = DetailsPanel(), RunsPanel(), StepsPanel()
        self.why, self.buckets = WhyPanel(), BucketsChart()
        self.predictions = Predictions(self.session, self.settings)
        left, below = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.BottomDockWidgetArea
        right = Qt.DockWidgetArea.RightDockWidgetArea
        parts = (
            ("strategy", tr("Settings"), self._form_with_footer(), left),
            ("batch", tr("Batch split"), scrolled(self.batch), below),
            ("devices", tr("Devices"), scrolled(self.devices, self.buckets), below),
            ("details", tr("Details"), self.details, below),
            ("log", tr("Log"), self.log, below),
            ("runs", tr("Runs"), self.runs, below),
            ("steps", tr("Steps"), self.steps, below),
            ("why", tr("Why"), self.why, right),
            ("whatif", tr("What if"), self.predictions.whatif_panel, right),
            ("advisor", tr("Advisor"), self.predictions.advisor_panel, right),
        )
        self._docks: dict[str, QDockWidget] = {}
        for name, title, widget, area in parts:
            dock = QDockWidget(title, self)
            dock.setObjectName(name)
            dock.setWidget(widget)
            if name not in TITLED:  # a form is its own heading; the others have tabs
                dock.setTitleBarWidget(QWidget())
            self.addDockWidget(area, dock)
            self._docks[name] = dock
        self.setCorner(Qt.Corner.BottomLeftCorner, left)
        self.setDockNestingEnabled(True)
        self.setTabPosition(below, QTabWidget.TabPosition.North)
        for name in ("log", "runs", "steps"):
            self.tabifyDockWidget(self._docks["details"], self._docks[name])
        self._docks["details"].raise_()
        self.setTabPosition(right, QTabWidget.TabPosition.North)
        for name in ("whatif", "advisor"):
            self.tabifyDockWidget(self._docks["why"], self._docks[name])
        for name in ("why", "whatif", "advisor"):
            self._docks[name].hide()

    def _form_with_footer(self) -> QWidget:
        whole = QWidget()
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.form, 1)
        column.addWidget(self.form.footer)
        return whole

    def _build_toolbar(self) -> None:
        bar = QToolBar(tr("Tools"))
        bar.setObjectName("tools")
        bar.setMovable(False)
        bar.toggleViewAction().setEnabled(False)
        self.addToolBar(bar)
        for name in ("run", "stop"):
            bar.addAction(self.actions_by_name[name])
            bar.widgetForAction(self.actions_by_name[name]).setObjectName(name)
        self.actions_by_name["run"].setIconText(tr("▶  Run"))
        self.actions_by_name["stop"].setIconText(tr("■  Stop"))
        self._title, self._step, self._progress = QLabel(), QLabel(), QProgressBar()
        self._title.setObjectName("title")
        self._step.setObjectName("step")
        self._progress.setTextVisible(False)
        self._progress.setFixedWidth(120)
        self._progress.setAccessibleName(tr("Progress of the run"))
        space = QWidget()
        space.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        bar.addWidget(self._title)
        bar.addWidget(space)
        self._progress_action = bar.addWidget(self._progress)
        bar.addWidget(self._step)
        bar.addAction(self.actions_by_name["follow"])
        for name in ("why", "whatif", "advisor"):
            bar.addAction(self._docks[name].toggleViewAction())
        for name in ("export", "sheet"):
            bar.addAction(self.actions_by_name[name])
        self.actions_by_name["export"].setIconText(tr("Export"))
        self.actions_by_name["sheet"].setIconText("?")

    def _build_status(self) -> None:
        self._recorded, self._sharing, self._predicted = QLabel(), QLabel(), QLabel()
        self._verified, self._engine = QLabel(), QLabel(tr("engine is loading…"))
        self.statusBar().addWidget(self._recorded)
        for label in (self._predicted, self._sharing, self._verified, self._engine):
            self.statusBar().addPermanentWidget(label)

    def _list_docks(self) -> None:
        """Docks can be shown and hidden from the View menu, by Ctrl and a digit."""
        menu = self.actions_by_name["follow"].associatedObjects()
        view = next(
            m for m in self.menuBar().findChildren(type(self.menuBar().addMenu(""))) if m in menu
        )
        view.addSeparator()
        for digit, dock in enumerate(self._docks.values(), 1):
            action = dock.toggleViewAction()
            action.setShortcut(f"Ctrl+{digit % 10}")
            action.setToolTip(
                tr(
                    "Show or hide {panel}. (Ctrl+{digit})",
                    panel=dock.windowTitle(),
                    digit=digit % 10,
                )
            )
            view.addAction(action)

    def _connect(self) -> None:
        session, timeline = self.session, self.timeline
        session.ready.connect(self.set_hardware)
        session.run_started.connect(self.begin)
        session.ticked.connect(self.tick)
        session.run_ended.connect(self.end)
        session.refused.connect(self.refuse)
        session.engine_failed.connect(self.banner.say)
        session.asking_changed.connect(self._allow)
        self.form.checked.connect(self._allow)
        self.predictions.compared.connect(self.show_comparison)
        self.predictions.made.connect(self.add_run)
        self.predictions.wanted.connect(self.run_instead)
        self.predictions.what_if.said.connect(self.note)
        self.predictions.what_if.failed.connect(self.banner.say)
        self.runs.chosen.connect(self.show_run)
        timeline.selection_changed.connect(self._show_selection)
        timeline.following_changed.connect(self.actions_by_name["follow"].setChecked)
        timeline.view_changed.connect(self._mark_visible)
        timeline.reduction_changed.connect(self._set_per_pixel)
        timeline.strips_changed.connect(self.overview.set_strips)
        self.overview.moved.connect(timeline.centre_on)
        self.steps.chosen.connect(timeline.fit_between)
        self.details.holder_chosen.connect(timeline.select_task)
        self.why.task_chosen.connect(timeline.select_task)
        self.actions_by_name["critical_path"].setIconText(tr("Outline"))
        self.why.path_button.setDefaultAction(self.actions_by_name["critical_path"])

    def _restore(self) -> None:
        self.resize(SIZE)
        self.resizeDocks([self._docks["strategy"]], [280], Qt.Orientation.Horizontal)
        below = [self._docks[name] for name in ("batch", "devices", "details")]
        self.resizeDocks(below, [380, 380, 420], Qt.Orientation.Horizontal)
        self.resizeDocks(below[:1], [250], Qt.Orientation.Vertical)
        self.resizeDocks([self._docks["why"]], [490], Qt.Orientation.Horizontal)
        kept = self.settings.window
        if kept is not None:
            self.restoreGeometry(kept[0])
            self.restoreState(kept[1])
        self.form.set_specification(self.settings.specification)
        self.actions_by_name["follow"].setChecked(True)
        self._restore_strips()
        self._apply_theme()
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
        theme = THEMES[self.theme_name()]
        apply(QApplication.instance(), theme)
        self.actions_by_name["theme"].setChecked(theme is DARK)
        sheets = (self.batch, self.devices, self.buckets, self.log, self.steps, self.why)
        predicted = self.predictions.whatif_panel
        for part in (self.timeline, self.overview, self.form, predicted, *sheets):
            part.set_theme(theme)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: D102
        self.settings.window = (self.saveGeometry(), self.saveState())
        self.settings.specification = self.form.specification()
        self.settings.save()
        self.predictions.close()
        self.session.close()
        super().closeEvent(event)


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."
