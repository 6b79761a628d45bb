"""Reports a missing display in one line; without this, Qt aborts the process."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

from core.plain import error_text

BAD_INPUT = 2


@contextmanager
def reporting_missing_display() -> Iterator[None]:
    """Context for creating the application: without a display, exit the process with status 2."""
    warnings: list[str] = []

    def on_message(kind: QtMsgType, _: QMessageLogContext, text: str) -> None:
        if kind != QtMsgType.QtFatalMsg:
            warnings.append(text)
            return
        why = error_text((warnings or [text])[0].strip())
        line = f"there is no display to open a window on ({why}); `export` draws without one"
        print(f"bubblescope: {line}", file=sys.stderr, flush=True)
        os._exit(BAD_INPUT)  # Qt aborts when this returns

    before = qInstallMessageHandler(on_message)
    try:
        yield
    finally:
        qInstallMessageHandler(before)
    for text in warnings:
        print(text, file=sys.stderr)
