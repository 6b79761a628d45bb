"""The features of the window, in the order in which they are made.

A feature may use earlier features in its constructor, and all features in `start`.
"""

from __future__ import annotations

from gui.app.feature import Feature
from gui.features.blocks.feature import BlocksFeature
from gui.features.board.feature import BoardFeature
from gui.features.bookmarks.feature import BookmarksFeature
from gui.features.bubbles.feature import BubblesFeature
from gui.features.check.feature import CheckFeature
from gui.features.compare.feature import CompareFeature
from gui.features.details.feature import DetailsFeature
from gui.features.devices.feature import DevicesFeature
from gui.features.figures.feature import FiguresFeature
from gui.features.first_page.feature import FirstPageFeature
from gui.features.keys.feature import KeysFeature
from gui.features.lessons.feature import LessonsFeature
from gui.features.listen.feature import ListenFeature
from gui.features.log.feature import LogFeature
from gui.features.navigate.feature import NavigateFeature
from gui.features.palette.feature import PaletteFeature
from gui.features.playback.feature import PlaybackFeature
from gui.features.predict.feature import PredictFeature
from gui.features.recordings.feature import RecordingsFeature
from gui.features.run.feature import RunFeature
from gui.features.runs.feature import RunsFeature
from gui.features.slowdown.feature import SlowdownFeature
from gui.features.spans.feature import SpansFeature
from gui.features.sql.feature import SqlFeature
from gui.features.statistics.feature import StatisticsFeature
from gui.features.status.feature import StatusFeature
from gui.features.steps.feature import StepsFeature
from gui.features.sweep.feature import SweepFeature
from gui.features.verdict.feature import VerdictFeature
from gui.features.view.feature import ViewFeature
from gui.features.why.feature import WhyFeature
from gui.window.frame import FrameFeature

FEATURES: tuple[type[Feature], ...] = (
    RecordingsFeature,
    ListenFeature,
    FiguresFeature,
    ViewFeature,
    NavigateFeature,
    VerdictFeature,
    StatusFeature,
    RunFeature,
    DevicesFeature,
    WhyFeature,
    SlowdownFeature,
    PredictFeature,
    SweepFeature,
    CompareFeature,
    StepsFeature,
    StatisticsFeature,
    SpansFeature,
    SqlFeature,
    LogFeature,
    RunsFeature,
    BookmarksFeature,
    BlocksFeature,
    DetailsFeature,
    BubblesFeature,
    LessonsFeature,
    BoardFeature,
    PlaybackFeature,
    FirstPageFeature,
    PaletteFeature,
    KeysFeature,
    CheckFeature,
    FrameFeature,
)
