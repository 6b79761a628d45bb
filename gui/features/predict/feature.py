"""Predictions: What if, the advisor, and the predicted step below the measured one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from core.plan.specification import Specification, describe
from gui.app.feature import Dock, Feature, Panel, Shell
from gui.app.jobs import close_all
from gui.app.run import Run, opened_files
from gui.features.run.feature import RunFeature
from gui.features.status.feature import StatusFeature
from gui.features.verdict.feature import VerdictFeature
from gui.look.text import tr

if TYPE_CHECKING:
    from core.predict.worker.service import PredictionService
    from gui.features.predict.advisor import AdvisorController
    from gui.features.predict.page import TryPage
    from gui.features.predict.prediction_overlay import PredictionOverlay
    from gui.features.predict.trying import TryController
    from gui.features.predict.what_if import WhatIfController


class PredictFeature(Feature):
    """The Try page. Its parts are made when they are first needed.

    `sweep_panel` returns the sweep panel, which the page shows; the sweep feature sets it.
    """

    def __init__(self, shell: Shell) -> None:
        super().__init__(shell)
        self.panels = (Panel("try", tr("Try"), Dock.TRY, self._page),)
        self.sweep_panel: Callable[[], QWidget] | None = None

    def start(self) -> None:
        self.shell.feature(RunFeature).control.planned.connect(self._show_settings)
        self.shell.concealment.changed.connect(self._show_what_if)

    def show_run(self, run: Run | None) -> None:
        if run is None or run.live:
            return
        self._show_what_if()
        self.advisor.show_trace(run.trace)
        self.overlay.predict(run)

    def end_run(self, run: Run) -> None:
        if run is self.shell.run_shown:
            self.show_run(run)

    def close(self) -> None:
        made = vars(self)
        for name in ("trying", "what_if", "advisor", "service"):
            if name in made:
                made[name].close()
        close_all(self)

    @cached_property
    def service(self) -> PredictionService:
        """The prediction process, which all panels share."""
        from core.predict.worker.service import PredictionService

        return PredictionService()

    @cached_property
    def what_if(self) -> WhatIfController:
        """The controller of What if, with its panel."""
        from gui.features.predict.what_if import WhatIfController
        from gui.features.predict.whatif_panel import WhatIfPanel

        panel = WhatIfPanel(describe(Specification()))
        self.keep_until_shown(panel)
        made = WhatIfController(panel, self.shell.settings, self.service)
        made.inputs = lambda: opened_files(self.shell.session.runs)
        made.drawn.connect(self._show_drawn)
        self.report_from(made)
        return made

    @cached_property
    def advisor(self) -> AdvisorController:
        """The controller of the advisor, with its panel."""
        from gui.features.predict.advisor import AdvisorController
        from gui.features.predict.advisor_panel import AdvisorPanel

        session = self.shell.session
        made = AdvisorController(AdvisorPanel(), lambda: not session.asking, self.service)
        self.keep_until_shown(made.panel)
        line = self.shell.feature(VerdictFeature).line
        made.advised.connect(line.advise)
        made.outcome.connect(line.show_outcome)
        made.panel.chosen.connect(self.shell.feature(RunFeature).control.run_instead)
        return made

    @cached_property
    def overlay(self) -> PredictionOverlay:
        """Predictions of the runs shown, to be drawn below their measurement."""
        from gui.features.predict.prediction_overlay import PredictionOverlay

        made = PredictionOverlay(self)
        made.ready.connect(self.shell.feature(StatusFeature).show_comparison)
        made.failed.connect(self.shell.banner.say)
        return made

    @cached_property
    def trying(self) -> TryController:
        """The controller of the page and of its answer line."""
        from gui.features.predict.page import TryPage
        from gui.features.predict.trying import TryController

        page = TryPage(self.what_if.panel, self.advisor.panel)
        page.make_sweep = self.sweep_panel
        run = self.shell.feature(RunFeature)
        made = TryController(page, self.what_if, self.service, run.form.specification)
        made.chosen.connect(run.control.run_instead)
        return made

    def _show_what_if(self) -> None:
        """Offer the run's costs, unless its faults are concealed, because What if shows them."""
        run = self.shell.run_shown
        if run is not None and not run.live and not self.shell.concealment.text_for(run):
            self.what_if.show_trace(run.trace)

    def _page(self) -> TryPage:
        return self.trying.page

    def _show_settings(self, specification: Specification) -> None:
        """Use the model of a valid form for costs that were not measured in a run."""
        if "what_if" in vars(self) and not specification.own_model:
            self.what_if.panel.set_model(describe(specification))

    def _show_drawn(self, recording: bytes) -> None:
        self.shell.show_run(self.shell.session.add_predicted(recording))
