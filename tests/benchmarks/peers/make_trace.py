"""Writes the same calls as a trace in Chrome's format and as one in Paje's, which ViTE reads.

    python make_trace.py EVENTS chrome.json paje.trace

Sixteen threads; each call has up to three calls inside, with a gap behind each, so that no viewer
has to guess what lies in what.
"""

import random
import sys
from collections.abc import Iterator

THREADS = 16
NAMES = ("gemm", "relu", "all-reduce", "softmax", "norm", "copy", "bias", "dropout")
_PAJE_HEAD = """%EventDef PajeDefineContainerType 1
% Alias string
% ContainerType string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 3
% Alias string
% ContainerType string
% Name string
%EndEventDef
%EventDef PajeDefineEntityValue 6
% Alias string
% EntityType string
% Name string
% Color color
%EndEventDef
%EventDef PajeCreateContainer 7
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajePushState 11
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajePopState 12
% Time date
% Type string
% Container string
%EndEventDef
1 CT 0 "Thread"
3 ST CT "Call"
"""


def calls(events: int) -> Iterator[tuple[float, int, str, float]]:
    """Start in µs, thread, name and length in µs of every call, thread by thread in turn."""
    numbers = random.Random(0)
    now = [0.0] * THREADS
    made = 0
    while made < events:
        for thread in range(THREADS):
            inside = [numbers.uniform(1, 20) for _ in range(numbers.randint(0, 3))]
            whole = sum(inside) + numbers.uniform(2, 10) + len(inside)
            at = now[thread]
            for start, length in [(at, whole), *_one_by_one(at + 0.5, inside)]:
                if made == events:
                    return
                yield start, thread, NAMES[made % len(NAMES)], length
                made += 1
            now[thread] = at + whole + numbers.uniform(1, 5)


def _one_by_one(at: float, lengths: list[float]) -> Iterator[tuple[float, float]]:
    for length in lengths:
        yield at, length
        at += length + 0.25


def main() -> None:
    events, chrome, paje = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    changes: list[tuple[float, str]] = []
    with open(chrome, "w", encoding="utf-8") as file:
        file.write('{"traceEvents": [\n')
        for number, (start, thread, name, length) in enumerate(calls(events)):
            file.write(
                f"{',' if number else ''}"
                f'{{"ph":"X","pid":1,"tid":{thread},"ts":{start:.3f},"dur":{length:.3f},'
                f'"name":"{name}","cat":"op","args":{{"call":{number}}}}}\n'
            )
            changes.append((start, f"11 {start / 1e6:.9f} ST T{thread} {name}\n"))
            end = start + length
            changes.append((end, f"12 {end / 1e6:.9f} ST T{thread}\n"))
        file.write("]}\n")
    changes.sort(key=lambda change: change[0])
    with open(paje, "w", encoding="utf-8") as file:
        file.write(_PAJE_HEAD)
        for number, name in enumerate(NAMES):
            shade = (number + 1) / len(NAMES)
            file.write(f'6 {name} ST "{name}" "{shade:.2f} {1 - shade:.2f} 0.60"\n')
        for thread in range(THREADS):
            file.write(f'7 0.0 T{thread} CT 0 "T{thread}"\n')
        file.writelines(line for _, line in changes)


main()
