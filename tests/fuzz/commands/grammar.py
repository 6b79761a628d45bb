"""Draws command lines: what each command accepts, and every way of getting it wrong.

The commands, their options and positions are read from the parser itself, so that none is left out;
the tables here say which values are good. A number and a seed give the same command line again.
"""

from __future__ import annotations

import argparse
import signal
from dataclasses import dataclass
from itertools import chain
from random import Random

from bubblescope.cli.arguments import make_parser
from bubblescope.cli.figures import EXCERPT, FIGURE
from bubblescope.cli.spans_table import TABLE
from core.files import ENDINGS
from core.models.catalogue import MODELS
from core.plan.specification import OPTIONS, STRATEGY_OPTIONS
from core.plan.strategies import STRATEGIES
from core.trace.listing import COLUMNS
from tests.fuzz.commands.files import BAD_RECORDINGS, OUTPUTS, RECORDINGS
from tests.fuzz.commands.zygote import FORKED, PROGRAMS

OUTPUT_OPTIONS = (
    "record", "image", "summary", "csv", "gradients", "report", "table", "trace", "kineto",
    "chakra", "out", "animation", "runs", "folder",
)  # fmt: skip
"""Options that name what is written; `--costs` of `calibrate` is one more."""
FOLDERS = ("kineto", "chakra", "out", "folder")
ENGINE = ("run", "sweep", "lesson", "calibrate", "devices")
"""Commands that start torch once their arguments are found good: these are drawn less often."""
WEIGHTS = {
    "plan": 11, "predict": 14, "export": 16, "summary": 8, "sql": 9, "compare": 11, "run": 10,
    "sweep": 8, "calibrate": 4, "lesson": 4, "devices": 1, "listen": 4, "record": 6, "open": 3,
    "": 3,
}  # fmt: skip
SPECIFIED = ("plan", "predict", "run", "calibrate", "sweep")
"""Commands that take the options of a run."""
GOOD = {
    "strategy": STRATEGIES, "model": ("mlp", "tutorial", "toymodel", "gpt"),
    "schedule": ("1f1b", "gpipe", "interleaved", "zb-h1", "zb-v", "dualpipe-v", "schedule.csv"),
    "width": (8, 16), "depth": (2, 4), "heads": (1, 2), "sequence": (4, 8), "image_size": (32,),
    "dtype": ("float32", "float64", "bfloat16"),
    "devices": ("auto", "2xcpu", "2xvirtual", "4xvirtual", "1xcpu", "cpu,cpu"),
    "cores_per_lane": (1,), "link": ("pcie4", "5:25", "measured", "ethernet-10g"),
    "speed": (1,), "seconds": (0.1, 0.2), "other": ("own.arrow",),
    "batch": (8, 16), "data": (8, 20), "microbatches": (1, 2, 4),
    "split_size": (2, 4), "stages": (2,), "borders": ("1", "2"), "lane_memory": (100,),
    "chunks": (2,), "replicas": (2,), "bucket_mb": (1, 0.5), "steps": (1, 2), "warmup": (0, 1),
    "optimizer": ("sgd", "adam"), "lr": (0, 0.1), "seed": (0, 5), "slow_lane": ("0:1.5",),
    "slow_link": ("0-1:2",), "hiccup": ("lane=0,step=1,ms=1",), "slow_kind": ("backward:1.2",),
    "jitter": (0.05,), "figure": ("slide", "one-column", "web"), "theme": ("light", "dark"),
    "width_mm": (60, 80.5), "font_pt": (7, 9), "scale": (1, 2), "title": ("A title", "Größe <b>"),
    "caption": ("Where {x} %s waits",), "range": ("1ms:20ms", ":1s", "0ns:"),
    "range_b": ("1ms:20ms",), "steps_shown": ("1", "1-2"), "lanes": ("0", "0-1"),
    "where": ("kind:forward", ">1us lane:0", ""), "sort": (*COLUMNS, f"-{COLUMNS[0]}"),
    "step_a": ("1", "all"), "step_b": ("1", "2"), "align": ("start", "0F0"),
    "step": (1,), "repeat": (1,), "beside": ("none", "single"), "shuffle": (0, 3),
    "address": ("127.0.0.1:0", "[::1]:0", "localhost:0"), "nnodes": (1,), "node_rank": (0,),
    "rdzv_endpoint": ("127.0.0.1:0",), "launcher": ("torchrun",), "lesson": ("lesson.md", "2"),
    "query": ("FROM steps", "SELECT 1", "SELECT * FROM spans LIMIT 3", "SELECT cause FROM idle"),
    "costs": ("costs.json", "costs.toml"),
    "source": ("own.arrow",),
    "new": ("own.arrow",), "name": ("main",), "baseline": ("own.arrow",), "markdown": ("gate.md",),
    "junit": ("gate.xml",), "assertions": ("bubble<90%",), "axes": ("rank", "stage"),
    "fail_over": ("3%",), "balance": ("yes", "no"), "verify": ("yes",), "blocks": ("no",),
    "on": ("host.invalid",), "host": ("host.invalid",), "python": ("/usr/bin/python3",),
}  # fmt: skip
"""Good values by the option's or position's name; files are apart."""
WILD = (
    "", " ", "-", "--", "-1", "-0", "0", "1", "2", "3.5", "1e3", "1e999", "-1e999", "1e-400", "nan",
    "-nan", "inf", "-inf", "9" * 400, "9" * 5000, "9" * 19, "2147483648", "9223372036854775808",
    "²", "٣", "0x10", "1_0", "+1", " 1 ", "1,2", "1,,2", ",", "1:2", ":", "1-2", "2-1", "0-0",
    "true", "None", "\udcff", "é", "日本", "\x1b[31m", "a\nb", "a\rb", "a\tb", "\u2028", "\u202e",
    "%s", "%(prog)s", "{0}", "{", "$HOME", "~", "`id`", "'", '"', "\\", "../x", "x" * 5000, "a=b",
    "=", "@file", "-h", "--help", "/dev/null", "own.arrow", "costs.json", "schedule.csv", "mlp",
    "all", "start", "0F0", "lane=0,step=1,ms=1e400", "0:nan", "0:1e400", "99:2", "0-0:2",
    "backward:-1", "copy:1e9", "1e400:1", "0:0", "nan:nan", "1ns:1ns", "2ms:1ms", "1e5s:",
    ":1" * 50, "1" * 400 + "s:", "w1", "w9", "0", "1-999999999999", "cpu", "0xcpu", "-1xcpu",
    "99999xvirtual", "1000000xvirtual", "2xcuda:0", "cuda:99", "npu:0", "2xvirtual,cpu",
    "cpu:0,cpu:0", "meta", "127.0.0.1:99999", "256.1.1.1:0", "[::1:0", "host.invalid:0",
    "127.0.0.1", "/tmp:1", ":0", "bad.py", "model.py", "no.py", "folder.py", "no.csv", "table.csv",
    "text.txt", "folder",
)  # fmt: skip
QUERIES = (
    "", ";", "SELECT", "SELECT * FROM nothing", "DROP TABLE steps", "COPY steps TO 'made.csv'",
    "SELECT * FROM read_text('text.txt')", "FROM 'table.csv'", "ATTACH 'made.db'", "INSTALL httpfs",
    "SELECT 1; SELECT 2", "PRAGMA version", "SET memory_limit='99GB'", "EXPORT DATABASE 'made'",
    "SELECT 'a\nb', '\x1b[31m'", "SELECT nan, 1e308 * 10, NULL", "SELECT 1 / 0",
    "SELECT * FROM a.steps", "CREATE TABLE x AS FROM steps", "SELECT unnest(range(3000))",
    "SELECT '\udcff'", "SELECT repeat('x', 100000)", "EXPLAIN ANALYZE COPY steps TO '.tmp/x.csv'",
    "-- nothing", "SELECT getenv('HOME')", "SELECT [1, 2], {'a': 1}, '1'::BLOB", "CHECKPOINT",
    "VACUUM", "SUMMARIZE steps",
)  # fmt: skip
JOBS = (
    ["true"], ["false"], ["sh", "-c", "exit 7"], ["sh", "-c", "kill -9 $$"], ["python3", "-c", "0"],
    ["no-such-command"], ["./text.txt"], ["folder"], [""], ["-c"], ["true", "--out", "x"],
    ["\udcff"], ["secret.arrow"], ["sh", "-c", "exit 300"], ["/"], ["./model.py"],
)  # fmt: skip
"""Commands for `record`, all of which are silent."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """A command line, and what it runs in.

    `entry` is how it is run (see zygote), standard streams are paths, `broken` or `closed`, and
    `variables` are set in its environment. After `ask_s` seconds it gets the signal `ask`.
    `outputs` are the words that name what it may write.
    """

    number: int
    command: str
    words: tuple[str, ...]
    outputs: tuple[str, ...]
    entry: str = FORKED
    stdin: str = "/dev/null"
    stdout: str = "out"
    variables: tuple[tuple[str, str], ...] = ()
    ask: int = signal.SIGTERM
    ask_s: float = 20.0


def commands() -> dict[str, argparse.ArgumentParser]:
    """The parser of each command, by name."""
    action = next(action for action in make_parser()._actions if action.dest == "command")
    return dict(action.choices)  # type: ignore[arg-type]


class Drawing:
    """Draws one command line."""

    def __init__(self, random: Random, parsers: dict[str, argparse.ArgumentParser]) -> None:
        self._random, self._parsers = random, parsers
        self._outputs: list[str] = []
        self._fixed: dict[str, tuple[str, ...]] = {}

    def invocation(self, number: int) -> Invocation:
        """A command line and its surroundings."""
        random = self._random
        command = random.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        words = [command, *self._words(command)] if command else self._without_command()
        made = Invocation(number, command, tuple(words), tuple(self._outputs))
        return self._surrounded(made)

    def _surrounded(self, made: Invocation) -> Invocation:
        """The same in drawn surroundings: mostly forked, with all output taken."""
        random, changes = self._random, {}
        if random.random() < 0.15 or made.command == "open":
            changes["entry"] = random.choice(list(PROGRAMS))
        if random.random() < 0.06:
            changes["stdout"] = random.choice(["broken", "/dev/full"])
        if "entry" in changes and random.random() < 0.08:
            changes["stdout"] = "closed"
        if random.random() < 0.04:
            changes["stdin"] = "closed" if "entry" in changes else "own.arrow"
        if made.command in ("listen", "open"):
            changes["ask_s"] = 1.5 if made.command == "listen" else 4.0
            changes["ask"] = random.choice([signal.SIGTERM, signal.SIGINT])
        elif random.random() < 0.04:
            changes["ask_s"] = random.uniform(0.0, 1.5)
            changes["ask"] = random.choice([signal.SIGTERM, signal.SIGINT])
        if made.command == "open" and random.random() < 0.5:
            changes["variables"] = (("QT_QPA_PLATFORM", "offscreen"),)
        fields = {name: getattr(made, name) for name in made.__slots__}
        return Invocation(**{**fields, **changes})

    def _without_command(self) -> list[str]:
        """Words of no command, or of none that there is."""
        random = self._random
        return random.choice([
            ["--version"], ["--help"], ["-h"], ["--print-completion", "bash"],
            ["--print-completion", "zsh"], ["--print-completion", random.choice(WILD)],
            ["--install-desktop"], ["--install-desktop", "open"], [random.choice(WILD)],
            [random.choice(BAD_RECORDINGS)], ["exports", "own.arrow"], ["--versio"], ["--out", "x"],
            ["own.arrow"], ["--version", "run"], ["--", "devices"], ["--nothing"], ["", "plan"],
        ])  # fmt: skip

    def _words(self, command: str) -> list[str]:
        """The words behind a command: good ones, good ones but for one, or any."""
        random = self._random
        kinds = ("good", "one wrong", "wild")
        weights = (1, 8, 3) if command in ENGINE else (6, 5, 2)
        kind = random.choices(kinds, weights)[0]
        actions = [a for a in self._parsers[command]._actions if a.dest != "help"]
        options = self._options(command)
        chosen = [a for a in options if a.required or self._is_wanted(command, a, len(options))]
        self._fixed = {}
        if kind != "wild":
            chosen = self._coherent(command, chosen)
        positions = [a for a in actions if not a.option_strings]
        taken = [*chosen, *positions]
        wrong = random.choice(taken) if kind == "one wrong" and taken else None
        parts = []
        for action in taken:
            is_wild = action is wrong or (kind == "wild" and random.random() < 0.4)
            parts.append(self._part(command, action, is_wild))
        optional, positional = parts[: len(chosen)], parts[len(chosen) :]
        random.shuffle(optional)
        if command == "record":
            return list(chain.from_iterable([*optional, *positional]))
        if kind != "good":
            optional += self._disturbances(options)
        # Options may come before, between and behind what has a position.
        for part in optional:
            positional.insert(random.randint(0, len(positional)), part)
        return list(chain.from_iterable(positional))

    def _is_wanted(self, command: str, action: argparse.Action, count: int) -> bool:
        """Return True if an option is drawn: about three of them, and often one with an effect."""
        if command in ENGINE and action.dest in ("steps", "batch", "width", "devices", "model"):
            return action.dest != "model" or self._random.random() < 0.2
        if action.dest == "costs":
            return self._random.random() < 0.95
        if command in ("export", "compare") and action.dest in OUTPUT_OPTIONS:
            return self._random.random() < 0.35
        return self._random.random() < 3 / count

    def _coherent(self, command: str, chosen: list[argparse.Action]) -> list[argparse.Action]:
        """Options that go with each other; fixes the values on which that depends."""
        random = self._random
        names = {action.dest for action in chosen}
        if command in ("export", "compare", "summary"):
            if "whole" in names:
                names -= {"range", "range_b"}
            if names & {"whole", "range_b"} or (names & {"range"} and command != "export"):
                self._fixed |= dict.fromkeys(("recordings", "a", "b"), ("trace.json", "ranks"))
                names -= {"step_a", "step_b", "align", "chakra"}
            if command == "export" and not names & set(OUTPUT_OPTIONS):
                return [a for a in self._options(command) if a.dest == "image"]
        if "animation" not in names and command == "export":
            names -= {"other", "speed", "seconds"}
        elif command == "export":
            self._fixed["recordings"] = ("own.arrow",)
            names -= {"seconds", "speed"} if {"seconds", "speed"} <= names else set()
        if "image" not in names:
            names -= {*FIGURE, *EXCERPT, "align"}
        elif command != "sweep":
            self._fixed["figure"] = ("slide", "web")
        if "table" not in names:
            names -= set(TABLE)
        if "report" not in names:
            names -= {"whole"} if command == "export" else set()
        if command in SPECIFIED:
            strategy, model = random.choice(list(STRATEGIES)), random.choice(GOOD["model"])
            self._fixed |= {"strategy": (strategy,), "model": (model,)}
            taken = {option.name for option in STRATEGIES[strategy].options}
            taken |= MODELS[model].settings.keys()
            known = {option.name for option in STRATEGY_OPTIONS}
            known |= {name for kind in MODELS.values() for name in kind.settings}
            names -= known - taken
            names -= {"split_size"} if "microbatches" in names else set()
            names |= {"strategy", "model"}
        every = self._options(command)
        return [a for a in every if a.dest in names and (a in chosen or a.dest in self._fixed)]

    def _options(self, command: str) -> list[argparse.Action]:
        """The options of a command."""
        actions = self._parsers[command]._actions
        return [a for a in actions if a.option_strings and a.dest != "help"]

    def _disturbances(self, options: list[argparse.Action]) -> list[list[str]]:
        """Words that belong to nothing, options given twice, cut short or without a value."""
        random = self._random
        if random.random() > 0.25 or not options:
            return []
        flag = random.choice(random.choice(options).option_strings)
        return [random.choice([
            [flag], [flag[:5]], [flag, flag], [f"{flag}="], [f"{flag}={random.choice(WILD)}"],
            [random.choice(WILD)], ["--"], ["--nothing", "x"], [flag.upper()], [flag + "x"],
        ])]  # fmt: skip

    def _part(self, command: str, action: argparse.Action, is_wild: bool) -> list[str]:
        """An option with its value, or the values of a position."""
        random = self._random
        if command == "record" and action.dest == "words":
            job = random.choice(JOBS)
            return random.choice(
                [["--", *job], job, ["--", *job], []] if is_wild else [["--", *job]]
            )
        if action.nargs == 0:
            flag = random.choice(action.option_strings)
            return [f"{flag}={random.choice(WILD)}"] if is_wild else [flag]
        values = self._values(command, action, is_wild)
        if not action.option_strings:
            return values
        flag = random.choice(action.option_strings)
        if is_wild and random.random() < 0.05:
            return [flag]
        if random.random() < 0.5 or values[0].startswith("-"):
            return [f"{flag}={values[0]}", *values[1:]]
        return [flag, *values]

    def _values(self, command: str, action: argparse.Action, is_wild: bool) -> list[str]:
        """Return a value of an option, or of a positional argument."""
        random, dest = self._random, action.dest
        is_output = dest in OUTPUT_OPTIONS or (command, dest) == ("calibrate", "costs")
        if is_output:
            value = random.choice(OUTPUTS) if is_wild else self._new_output(command, dest)
            self._outputs.append(value)
            return [value]
        if dest in ("recordings", "recording", "a", "b"):
            count = random.choice([1, 1, 1, 2, 3]) if action.nargs == "+" else 1
            known = self._fixed.get(dest, RECORDINGS)
            values = [random.choice(known) for _ in range(count)]
            if is_wild:
                values[random.randrange(count)] = random.choice(BAD_RECORDINGS)
            return values
        if is_wild:
            return [random.choice(QUERIES if dest == "query" and random.random() < 0.9 else WILD)]
        if dest == "query" and random.random() < 0.3:
            return [random.choice(QUERIES)]
        if command == "export" and dest == "steps":
            dest = "steps_shown"
        if command == "compare" and dest == "scale":
            return [random.choice(["true", "fit"])]
        value = str(random.choice(list(self._fixed.get(dest, GOOD[dest]))))
        if command == "sweep" and random.random() < 0.3:
            value = ",".join(str(random.choice(list(GOOD[dest]))) for _ in range(2))
        return [value]

    def _new_output(self, command: str, dest: str) -> str:
        """A name that an output may well have."""
        random = self._random
        if dest in FOLDERS or (dest == "record" and random.random() < 0.1):
            return random.choice(["made", "empty folder", "ünï made"])
        if command == "calibrate":
            return "made.json"
        endings = ENDINGS.get(dest, (".csv", ".parquet") if dest == "table" else (f".{dest}",))
        name = random.choice(["made", "made", "folder/made", "with space", "50% ünï"])
        return name + random.choice(endings)


def draw(seed: int, number: int, parsers: dict[str, argparse.ArgumentParser]) -> Invocation:
    """Command line `number` of a seed."""
    return Drawing(Random(f"commands {seed} {number}"), parsers).invocation(number)


def unknown_options() -> set[str]:
    """Options and positions for which there is no good value here."""
    known = {*GOOD, *OUTPUT_OPTIONS, "recordings", "recording", "a", "b", "words"}
    known |= {option.name for option in OPTIONS if option.kind is bool}
    actions = [a for parser in commands().values() for a in parser._actions]
    return {a.dest for a in actions if a.nargs != 0} - known
