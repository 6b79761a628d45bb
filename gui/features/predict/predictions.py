"""Everything in the window that is predicted: What if, the advisor, ghosts beside runs."""

from __future__ import annotations

from PySide6.QtCore import QObject

from core.plan.specification import Specification, describe
from core.predict.worker.service import PredictionService
from gui.app.jobs import close_all
from gui.app.session import Run, Session
from gui.app.settings import Settings
from gui.features.predict.advisor import AdvisorController
from gui.features.predict.advisor_panel import AdvisorPanel
from gui.features.predict.ghosts import Ghosts
from gui.features.predict.what_if import WhatIfController
from gui.features.predict.whatif_panel import WhatIfPanel


class Predictions(QObject):
    """Its panels go into docks; its parts have their own signals."""

    def __init__(self, session: Session, settings: Settings) -> None:
        super().__init__(session)
        self.whatif_panel = WhatIfPanel(describe(Specification()))
        self.advisor_panel = AdvisorPanel()
        self.service = PredictionService()
        self.what_if = WhatIfController(self.whatif_panel, settings, self.service)
        self.advisor = AdvisorController(
            self.advisor_panel, lambda: not session.asking, self.service
        )
        self.ghosts = Ghosts(self)

    def show_run(self, run: Run) -> None:
        """Another run is shown, or the one that is shown has ended."""
        if run.live:
            return
        self.what_if.show_trace(run.trace)
        self.advisor.show_trace(run.trace)
        self.ghosts.predict(run)

    def show_settings(self, specification: Specification) -> None:
        """The form asks for this run, which can be planned."""
        if not specification.own_model:
            self.whatif_panel.set_model(describe(specification))

    def close(self) -> None:
        """End every process and thread."""
        self.what_if.close()
        self.advisor.close()
        self.service.close()
        close_all(self)
