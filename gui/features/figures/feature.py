"""Figures and exports: pictures, animations, reports and traces of the run shown."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from core.message import N_
from gui.app.feature import Action, Feature, Group, Menu

if TYPE_CHECKING:
    from gui.features.figures.exporting import Exporting
    from gui.features.figures.trace_exports import TraceExports


class FiguresFeature(Feature):
    """The actions that write figures, reports and traces for other programs."""

    @property
    def groups(self) -> Sequence[Group]:
        return (
            Group(
                Menu.FILE,
                (
                    Action(
                        "export",
                        N_("Export figure or animation…"),
                        lambda: self.exporting.open(),
                        "Ctrl+E",
                        N_(
                            "Make a figure for a slide or a paper, or an animation, of this run or "
                            "of the runs that are compared."
                        ),
                    ),
                    Action(
                        "export_visible",
                        N_("Export visible range…"),
                        lambda: self.exporting.export_visible(),
                        "Ctrl+Shift+E",
                        N_("Write exactly the visible time range as PNG, SVG or PDF."),
                    ),
                    Action(
                        "copy_visible",
                        N_("Copy visible range"),
                        lambda: self.exporting.copy_visible(),
                        "Ctrl+C",
                        N_("Copy exactly what is visible, as an image and as SVG."),
                    ),
                    Action(
                        "report",
                        N_("Export report…"),
                        lambda: self.exporting.export_report(),
                        "Ctrl+Shift+R",
                        N_("Write an HTML page with pictures and tables of the run."),
                    ),
                ),
            ),
            Group(
                Menu.FILE,
                (
                    Action(
                        "export_trace",
                        N_("Export trace…"),
                        lambda: self.trace_exports.export_trace(),
                        "",
                        N_(
                            "Write all spans for Perfetto or chrome://tracing. Causes of idle "
                            "time are not exported."
                        ),
                    ),
                    Action(
                        "export_ranks",
                        N_("Export for Holistic Trace Analysis…"),
                        lambda: self.trace_exports.export_ranks(),
                        "",
                        N_(
                            "Write a file for each rank, as PyTorch's profiler does, into a new "
                            "folder."
                        ),
                    ),
                    Action(
                        "export_chakra",
                        N_("Export for ASTRA-sim…"),
                        lambda: self.trace_exports.export_chakra(),
                        "",
                        N_(
                            "Write the median step as Chakra execution traces, one for each rank, "
                            "into a new folder."
                        ),
                    ),
                ),
            ),
        )

    @cached_property
    def exporting(self) -> Exporting:
        """The controller of figures and reports, made when it is first used."""
        from gui.features.figures.exporting import Exporting

        made = Exporting(self.shell)
        self.report_from(made)
        return made

    @cached_property
    def trace_exports(self) -> TraceExports:
        """The controller of traces for other programs, made when it is first used."""
        from gui.features.figures.trace_exports import TraceExports

        return TraceExports(self.shell, self.exporting)
