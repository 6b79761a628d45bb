"""The parser of all commands and options."""

from __future__ import annotations

import argparse
from typing import Any, TypeAlias

import shtab

from bubblescope.cli.animating import ANIMATION, add_animation
from bubblescope.cli.examples import examples_of
from bubblescope.cli.exporting import add_formats
from bubblescope.cli.figures import (
    EXCERPT,
    FIGURE,
    LOOKS,
    ONLY_STILL,
    PARTS,
    add_figure,
)
from bubblescope.cli.option_arguments import add_option, add_specification, add_swept
from bubblescope.cli.parser import Parser
from bubblescope.cli.parts import add_part, add_whole
from bubblescope.cli.spans_table import TABLE, add_table
from bubblescope.cli.suggested import Suggested
from core.compare.step_times import FEWEST_STEPS
from core.lessons.lesson import shipped
from core.option import listed
from core.plan.hosts import ON
from core.report.mesh import Axis
from core.sweep.sweep import MOST_RUNS, REFERENCES, REPEATS
from core.sweep.values import COMMA
from core.version import VERSION

GROUPS = """\
  planning           devices, check, plan
  runs               run, sweep, lesson
  predictions        predict, calibrate
  recordings         export, summary, slowdown, sql, compare, gate, open
  your own job       record, listen
  another machine    push, engine"""
SHELLS = "completion: bubblescope --print-completion bash (or zsh, fish); see the docs"
MORE = "`bubblescope COMMAND --help` lists a command's options."


Commands: TypeAlias = "argparse._SubParsersAction[Parser]"


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of `bubblescope`; without a command the window opens."""
    parser = Parser(
        prog="bubblescope",
        description="Shows parallel training steps as they happen. Without a command: the window.",
        epilog="\n".join([examples_of("run"), SHELLS, MORE]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"bubblescope {VERSION}")
    parser.add_argument(
        "--install-desktop", action="store_true", help="install an icon and a menu entry"
    )
    shtab.add_argument_to(parser, "--print-completion", help="print a completion script")
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", title="commands", description=GROUPS
    )
    _add_runs(commands)
    _add_recordings(commands)
    _add_jobs(commands)
    _add_remote(commands)
    for name, command in commands.choices.items():
        # Set here for all commands, so that none can lack examples.
        command.epilog = examples_of(name)
        command.formatter_class = argparse.RawDescriptionHelpFormatter
    return parser


def _add_runs(commands: Commands) -> None:
    """Add the commands that plan, run and predict."""
    devices = commands.add_parser("devices", help="list the devices of this machine")
    check = commands.add_parser("check", help="check whether this machine's times can be trusted")
    check.add_argument("--json", action="store_true", help="print the values as JSON")
    check.add_argument(
        "--folder",
        metavar="FOLDER",
        help="save the table, and a recording and a picture of each strategy",
    )
    check.add_argument(
        "--full",
        action="store_true",
        help="also run every schedule and compare with torch's engines, in up to ten minutes",
    )
    plan = commands.add_parser("plan", help="print the plan of a step without running it")
    add_specification(plan)
    plan.add_argument("--tasks", action="store_true", help="list every task as well")
    plan.add_argument("--csv", metavar="FILE", help="save the order of the passes as a schedule")
    run = commands.add_parser("run", help="run a strategy and print its summary")
    add_specification(run, runs=True)
    _add_outputs(run)
    _add_launcher(run)
    sweep = commands.add_parser("sweep", help="run several values of options, and compare")
    add_swept(sweep)
    _add_sweep(sweep)
    lesson = commands.add_parser("lesson", help="run a lesson, or list all")
    numbers = (str(number) for number, _ in enumerate(shipped(), 1))
    lesson.add_argument(
        "lesson",
        nargs="?",
        choices=Suggested(numbers),
        metavar="NUMBER|FILE",
        help="number or *.md file",
    )
    predict = commands.add_parser("predict", help="predict a step from the costs of its passes")
    add_specification(predict, forms={"steps": _STEPS_OF_PREDICTION})
    _add_prediction(predict)
    calibrate = commands.add_parser(
        "calibrate", help="measure the costs of passes and transfers here"
    )
    add_specification(calibrate)
    calibrate.add_argument("--costs", required=True, metavar="FILE", help="the JSON file to write")
    for command in (devices, run, sweep, lesson, calibrate):
        add_option(command, ON)


def _add_recordings(commands: Commands) -> None:
    """Add the commands that read recordings."""
    export = commands.add_parser("export", help="draw recordings, write a report or another format")
    export.add_argument(
        "recordings", nargs="+", metavar="RECORDING", help="several are drawn on one axis"
    )
    export.add_argument("--image", metavar="FILE", help="*.png, *.svg or *.pdf")
    export.add_argument("--report", metavar="FILE", help="report with tables and pictures, *.html")
    figures = "table with a row for each recording: step, bubble, memory, *.tex, *.md or *.csv"
    export.add_argument("--runs", metavar="FILE", help=figures)
    add_table(export)
    add_formats(export)
    add_figure(export)
    add_animation(export)
    add_whole(export)
    export.only_with("--table FILE", TABLE)
    export.only_with("--image FILE", ("figure", *ONLY_STILL))
    export.only_with("--image FILE or --animation FILE", (*LOOKS, *PARTS, *EXCERPT))
    export.only_with("--image FILE or --animation FILE or --report FILE", ("range",))
    export.only_with("--animation FILE", ANIMATION)
    export.only_with("--report FILE", ("whole",))
    summary = commands.add_parser(
        "summary", help="print summaries as JSON, as `run --summary` writes them"
    )
    summary.add_argument(
        "recordings", nargs="+", metavar="RECORDING", help="recordings, traces or folders of ranks"
    )
    add_part(summary)
    slow = commands.add_parser(
        "slowdown", help="show how much shorter a job would be if a worker were like its peers"
    )
    slow.add_argument(
        "recording", metavar="RECORDING", help="a recording, a trace or a folder of ranks"
    )
    meaning = f"axes of the matrix, two of {listed(tuple(Axis), 'and')} (default: the largest two)"
    slow.add_argument("--axes", metavar="ROWS,COLUMNS", help=meaning)
    slow.add_argument("--csv", metavar="FILE", help="write all savings as a table")
    add_part(slow)
    ask = commands.add_parser("sql", help="query a recording in SQL")
    ask.add_argument("recording", metavar="RECORDING")
    question = "SELECT cause, sum(duration_ns) FROM idle GROUP BY cause"
    ask.add_argument("query", metavar="QUERY", help=f'such as "{question}"')
    ask.add_argument(
        "--csv", metavar="FILE", help="write the rows to a file instead of printing them"
    )
    _add_comparison(commands.add_parser("compare", help="compare two recordings"))
    _add_gate(commands.add_parser("gate", help="fail if a recording is slower than a baseline"))
    opening = commands.add_parser("open", help="open a recording or a folder in the window")
    opening.add_argument("recording", metavar="RECORDING")


def _add_jobs(commands: Commands) -> None:
    """Add the commands that record training jobs."""
    listen = commands.add_parser("listen", help="receive recordings of jobs over TCP")
    meaning = "where to listen (default: only this machine, any port)"
    listen.add_argument("--address", default="127.0.0.1:0", metavar="HOST:PORT", help=meaning)
    meaning = "folder for the recordings of all ranks (default: runs)"
    listen.add_argument("--out", default="runs", metavar="FOLDER", help=meaning)
    meaning = (
        "receive jobs of another machine through ssh, which forwards a port there to this machine"
    )
    add_option(listen, ON, help=meaning)
    record = commands.add_parser("record", help="run a training command and record its ranks")
    meaning = (
        "folder for the recordings (default: runs), or tcp://HOST:PORT of `listen`, with its token "
        "in BUBBLESCOPE_TOKEN"
    )
    record.add_argument("--out", default="runs", metavar="FOLDER", help=meaning)
    meaning = "such as -- torchrun --nproc-per-node 2 train.py"
    record.add_argument("words", nargs=argparse.REMAINDER, metavar="-- COMMAND", help=meaning)


def _add_remote(commands: Commands) -> None:
    """Add the commands for another machine."""
    push = commands.add_parser("push", help="install this Bubblescope on another machine")
    push.add_argument("host", metavar="USER@HOST", help="as for ssh")
    meaning = (
        "the Python there; its packages, such as torch, are used where they are new enough "
        "(default: the first Python from 3.11 on, with new packages)"
    )
    push.add_argument("--python", metavar="PATH", help=meaning)
    commands.add_parser("engine", help="serve the engine on standard streams, for --on elsewhere")


def _add_sweep(parser: Parser) -> None:
    add = parser.add_argument
    meaning = f"runs of each setting (default: {REPEATS})"
    add("--repeat", type=_count, default=REPEATS, metavar="N", help=meaning)
    meaning = "strategies to run for reference, or none (default: single,mp)"
    add("--beside", default=COMMA.join(REFERENCES), metavar="NAMES", help=meaning)
    meaning = "seed of the random order of the runs (default: 0)"
    add("--shuffle", type=int, default=0, metavar="N", help=meaning)
    add(
        "--csv",
        metavar="FILE",
        help="table with a row for each run; runs that it has are not repeated",
    )
    add("--image", metavar="FILE", help="draw the results: *.png, *.svg or *.pdf")
    add("--theme", choices=("light", "dark"), default="light")
    parser.only_with("--image FILE", ["theme"])


def _count(text: str) -> int:
    # isdigit() also accepts characters such as ², which int() does not.
    if text.isascii() and text.isdigit() and 1 <= int(text) <= MOST_RUNS:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r}: use 1 or more, at most {MOST_RUNS:,}")


def _number_or_range(text: str) -> int | str:
    """Return a number of steps, or the text of a range of steps such as 3-10."""
    return text if "-" in text[1:] else int(text)


_STEPS_OF_PREDICTION: dict[str, Any] = {
    "type": _number_or_range,
    "metavar": "N|FIRST-LAST",
    "help": (
        "Number of measured steps, for hiccups; with --from the measured steps of the file that "
        "give the costs, such as 3-10. Default: all."
    ),
}


def _add_prediction(parser: Parser) -> None:
    add = parser.add_argument
    add("--costs", metavar="FILE", help="costs of passes and transfers, *.json or *.toml")
    meaning = (
        "take the costs from a recording, a trace of another program or a folder of ranks; without "
        "options of a run its own steps are replayed"
    )
    add("--from", dest="source", metavar="RECORDING", help=meaning)
    meaning = "the measured step to predict, with its hiccups and jitter (default: 1)"
    add("--step", type=int, default=1, metavar="N", help=meaning)
    add("--record", metavar="FILE", help="save the prediction as a recording, for the window")
    add("--image", metavar="FILE", help="draw the predicted timeline: *.png, *.svg or *.pdf")
    add("--summary", metavar="FILE", help="write the summary as JSON")
    add_figure(parser, excerpt=False)
    parser.only_with("--image FILE", FIGURE)


def _add_comparison(parser: Parser) -> None:
    add = parser.add_argument
    add("a", metavar="A", help="a recording")
    add("b", metavar="B", help="the recording to compare it with")
    add("--step-a", metavar="N", help="the measured step of A (default: the median one), or all")
    add("--step-b", metavar="N", help="the measured step of B (default: the median one), or all")
    add_part(parser)
    add("--range-b", metavar="TIMES", help="the range of B (default: the same as --range)")
    add("--image", metavar="FILE", help="draw both on one axis: *.png, *.svg or *.pdf")
    add(
        "--align",
        default="start",
        metavar="TASK",
        help="align at the start of the step, or at a task such as 0F0",
    )
    add(
        "--scale",
        choices=("true", "fit"),
        default="true",
        help="fit: scale the steps to equal length",
    )
    add("--theme", choices=("light", "dark"), default="light")
    add("--report", metavar="FILE", help="report with tables and pictures, *.html")
    add("--summary", metavar="FILE", help="write the differences as JSON")
    parser.only_with("--image FILE", ["theme"])
    parser.only_with("--image FILE or --report FILE", ["align", "scale"])


def _add_gate(parser: Parser) -> None:
    add = parser.add_argument
    meaning = "a recording, or a folder of recordings, such as one with the name of NEW"
    add("baseline", metavar="BASELINE", help=meaning)
    add("new", metavar="NEW", help=f"the recording to judge; both need {FEWEST_STEPS} steps")
    meaning = "recording of the folder BASELINE (default: the one with the name of NEW)"
    add("--name", metavar="NAME", help=meaning)
    meaning = "allow a slow-down, such as 3%% (default: 0%%, so any that is above the noise fails)"
    add("--fail-over", default="0%", metavar="PERCENT", help=meaning)
    meaning = (
        'fail unless this holds in NEW: "bubble<20%%", "exposed<5%%", "step<120ms"; several times'
    )
    add("--assert", dest="assertions", action="append", metavar="BOUND", help=meaning)
    add("--markdown", metavar="FILE", help="write the result as Markdown, for a summary of a job")
    add("--junit", metavar="FILE", help="write the result as JUnit XML")


def _add_launcher(parser: Parser) -> None:
    group = parser.add_argument_group(
        "torchrun", "run on torch's own engine, on one or several hosts"
    )
    add = group.add_argument
    meaning = "number of hosts on which this command is run (default: 1)"
    add("--nnodes", type=int, default=1, metavar="N", help=meaning)
    add("--node-rank", type=int, default=0, metavar="N", help="number of this host, from 0")
    add("--rdzv-endpoint", default="", metavar="HOST:PORT", help="rendezvous address, on host 0")
    parser.only_with("--launcher torchrun", ("nnodes", "node_rank", "rdzv_endpoint"))


def _add_outputs(parser: Parser) -> None:
    add = parser.add_argument
    add("--record", metavar="FILE", help="save the recording (an Arrow IPC stream)")
    add("--image", metavar="FILE", help="draw the timeline: *.png, *.svg or *.pdf")
    add_figure(parser, excerpt=False)
    parser.only_with("--image FILE", FIGURE)
    add("--summary", metavar="FILE", help="write the summary as JSON")
    add("--verbose", action="store_true", help="print every log line, including sizes")
