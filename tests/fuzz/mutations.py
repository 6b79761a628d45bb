"""Damage under a seed: what files look like that were cut, mixed up, or made to do harm."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

DEEP = 100_000
TOKENS = (
    b"NaN", b"-Infinity", b"1e999", b"-1", b"0", b"9" * 400, b"9" * 5000, b"0.1e-400",
    b"9223372036854775807", b"-9223372036854775809", b"18446744073709551616", b"4e15", b"null",
    b"true", b'"', b"\\", b"\\ud800", b"\x00", b"\n", b"\r", b",", b"}", b"]", b"{", b"[", b"},{",
    b"[" * DEEP, b"{" * DEEP, b'{"a":' * DEEP, b"\x1b[31m", b"\xe2\x80\xae", b"\xff\xfe",
    b"\xed\xa0", b"=1+1", b"x" * 5000, b"\x1f\x8b", b"32766", b"32767", b"1000000000", b"%s%n",
    b"../../", b"nan", b"inf", b"1_0", b"0x10", b"0F0", b"1B1", b"(0F1;1B0)OVERLAP_F_B",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31 - 1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), 10**400,
    0.5, -0.0, 1e-320, 1e308, 4e15, -4e15, 9.3e15, float("nan"), float("inf"), float("-inf"), "",
    "x" * 5000, "\x1b[31m\n", "\u202e", "\ud800", "\x00", "nan", "1e999", "9" * 400, "12", "=1+1",
    [], {}, [[]], [0, 0], {"": 0}, [None], 10**9, 32767, -(2**31), "9" * 5000,
)  # fmt: skip
"""Replacements of a number, a text or a list of a JSON document."""


def damaged(data: bytes, donors: Sequence[bytes], random: Random) -> bytes:
    """One file that is damaged in one to three ways; `donors` are files of its kind."""
    changed = data
    while changed == data:  # not every way suits every file
        for _ in range(random.choice((1, 1, 1, 2, 3))):
            changed = random.choice(WAYS)(changed, donors, random)
    return changed


def _flip(data: bytes, _: Sequence[bytes], random: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 4, 32)) if data else 0):
        changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def _overwrite(data: bytes, _: Sequence[bytes], random: Random) -> bytes:
    begin, end = _part(data, random, 16)
    return data[:begin] + random.randbytes(end - begin) + data[end:]


def _cut(data: bytes, _: Sequence[bytes], random: Random) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def _remove(data: bytes, _: Sequence[bytes], random: Random) -> bytes:
    begin, end = _part(data, random, len(data))
    return data[:begin] + data[end:]


def _repeat(data: bytes, _: Sequence[bytes], random: Random) -> bytes:
    begin, end = _part(data, random, 2000)
    return data[:end] + data[begin:end] * random.choice((1, 2, 50)) + data[end:]


def _splice(data: bytes, donors: Sequence[bytes], random: Random) -> bytes:
    other = random.choice(donors)
    begin, end = _part(other, random, len(other))
    at, _ = _part(data, random, 1)
    return data[:at] + other[begin:end] + data[random.choice((at, len(data))) :]


def _insert(data: bytes, _: Sequence[bytes], random: Random) -> bytes:
    begin, end = _part(data, random, 8)
    return data[:begin] + random.choice(TOKENS) + data[random.choice((begin, end)) :]


def _replace_number(data: bytes, _: Sequence[bytes], random: Random) -> bytes:
    """Put something in the place of a run of digits."""
    digits = [at for at in range(len(data)) if data[at : at + 1].isdigit()]
    if not digits:
        return data
    begin = end = random.choice(digits)
    while data[end : end + 1].isdigit():
        end += 1
    return data[:begin] + random.choice(TOKENS) + data[end:]


def _reshape(data: bytes, _: Sequence[bytes], random: Random) -> bytes:
    """Change the values of a JSON document, which stays one; packed ones stay packed."""
    packed = data[:2] == b"\x1f\x8b"
    try:
        document = json.loads(gzip.decompress(data) if packed else data)
        for _ in range(random.choice((1, 1, 2, 8))):
            document = changed_document(document, random)
        text = json.dumps(document).encode()
    except (ValueError, OSError, EOFError, RecursionError, zlib.error):
        return data
    return gzip.compress(text, mtime=0) if packed else text


def changed_document(node: Any, random: Random) -> Any:
    """The document with one value replaced, removed, repeated or wrapped."""
    if not isinstance(node, dict | list) or not node or random.random() < 0.1:
        return random.choice((*VALUES, [node], {"a": node}))
    places = list(node) if isinstance(node, dict) else list(range(len(node)))
    at = random.choice(places)
    if random.random() < 0.6:
        return _with(node, at, changed_document(node[at], random))
    if random.random() < 0.5:
        kept = [place for place in places if place != at]
        return {k: node[k] for k in kept} if isinstance(node, dict) else [node[k] for k in kept]
    if isinstance(node, list):
        return node + [node[at]] * random.choice((1, 3, 300))
    return {**node, random.choice(("", "x" * 5000, "ph", "rows", "\x1b")): node[at]}


def _with(node: Any, at: Any, value: Any) -> Any:
    changed = node.copy()
    changed[at] = value
    return changed


def _part(data: bytes, random: Random, most: int) -> tuple[int, int]:
    begin = random.randrange(len(data) + 1)
    return begin, min(len(data), begin + random.randrange(most + 1))


Way = Callable[[bytes, Sequence[bytes], Random], bytes]
WAYS: tuple[Way, ...] = (
    _flip, _overwrite, _cut, _remove, _repeat, _splice, _insert, _insert, _replace_number,
    _reshape, _reshape, _reshape,
)  # fmt: skip
