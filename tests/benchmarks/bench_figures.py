"""A comparison for a paper: fonts and widths of its PDF, and its table compiled by LaTeX.

Needs poppler-utils, and for the table texlive-latex-base; skipped where they are missing.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from bubblescope.cli.start import run_arguments
from core.recording.recording import open_recording
from core.report.run_figures import median_figures
from core.report.run_table import RunRow, write_run_table
from gui.app.figure_options import PRESETS
from tests.make_believe import record, specification

POINTS_PER_MM = 72 / 25.4
TEXT_PT = (6.0, 9.0)  # sizes of text that can be read on paper, and that fit a column
DOCUMENT = r"""\documentclass[twocolumn]{article}
\usepackage{booktabs}
\begin{document}
\sbox0{\input{runs.tex}}\typeout{WIDTH \the\wd0 TEXT \the\textwidth}\mbox{}\usebox0
\end{document}
"""
NAME = r"5 % of_A & {B} #1 \x ~^ $2 <3>"


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("runs")
    paths = []
    for schedule in ("gpipe", "1f1b", "zb-h1"):
        path = folder / f"{schedule}.arrow"
        record(specification(devices="4xcpu", schedule=schedule, microbatches=8, steps=3), path)
        paths.append(str(path))
    return paths


def output(*command: str, folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.skipif(shutil.which("pdffonts") is None, reason="needs poppler-utils")
@pytest.mark.parametrize("count", [2, 3])
def test_a_one_column_pdf_has_its_width_and_embedded_fonts_of_readable_size(
    recordings: list[str], tmp_path: Path, count: int
) -> None:
    options = ("--figure", "one-column", "--image", str(tmp_path / "runs.pdf"))
    assert run_arguments(["export", *recordings[:count], *options]) == 0
    size = re.search(
        r"Page size: +([\d.]+) x ([\d.]+)", output("pdfinfo", "runs.pdf", folder=tmp_path)
    )
    assert size is not None
    width = float(size[1])
    assert width == pytest.approx(PRESETS["one-column"].width_mm * POINTS_PER_MM, abs=0.6)
    fonts = output("pdffonts", "runs.pdf", folder=tmp_path).splitlines()[2:]
    embedded = [line.split()[-5] for line in fonts]
    assert embedded and set(embedded) == {"yes"}
    found = output("pdftotext", "-bbox", "runs.pdf", "-", folder=tmp_path)
    words = re.findall(r'xMin="(\S+)" yMin="(\S+)" xMax="(\S+)" yMax="(\S+)">(.*)</word>', found)
    heights = [float(bottom) - float(top) for _, top, _, bottom, _ in words]
    assert min(float(left) for left, *_ in words) >= 0
    assert max(float(right) for _, _, right, _, _ in words) <= width
    print(f"\n{count} runs: {width:.0f} pt wide, {len(fonts)} fonts embedded, boxes of words "
          f"{min(heights):.1f} to {max(heights):.1f} pt high")  # fmt: skip
    assert TEXT_PT[0] <= min(heights) and max(heights) <= 1.4 * TEXT_PT[1]
    assert sum(word == "Bubble" for *_, word in words) == count


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs texlive-latex-base")
def test_a_table_of_runs_compiles_and_fits_a_page(recordings: list[str], tmp_path: Path) -> None:
    names = ["Pipeline GPipe · lr 0.1", NAME, "Pipeline ZB-H1"]
    rows = []
    for path, name in zip(recordings, names, strict=True):
        rows.append(RunRow(name, median_figures(open_recording(Path(path)).trace, name)))
    write_run_table(rows, tmp_path / "runs.tex")
    (tmp_path / "paper.tex").write_text(DOCUMENT)
    compiled = output("pdflatex", "-halt-on-error", "paper.tex", folder=tmp_path)
    found = re.search(r"WIDTH ([\d.]+)pt ?TEXT ([\d.]+)pt", compiled)
    assert found is not None
    print(f"\ntable of {len(recordings)} runs: {found[1]} of {found[2]} pt")
    assert float(found[1]) < float(found[2])
