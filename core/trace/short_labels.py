"""Short labels from the names that compilers and profilers give functions."""

from __future__ import annotations

import re
from functools import lru_cache

_ANONYMOUS = re.compile(r"(\(anonymous namespace\)|\{anonymous\}|<unnamed>)::")
_NAMESPACES = re.compile(r"\b(?:[A-Za-z_]\w*::)+(?=[A-Za-z_~])")
_RETURNS_NOTHING = "void "
MOST_LETTERS = 4096
"""Longer names are not shortened: a file may have names of a million letters."""


@lru_cache(1 << 14)
def short_label(name: str) -> str:
    """Return a function's name without `void`, namespaces, template arguments and parameters.

    `void at::native::copy<float>(int)` becomes `copy`. Names that are not C++ functions are
    unchanged, such as `<lambda>` and `module.py(12): forward`.
    """
    if len(name) > MOST_LETTERS:
        return name
    found = _ANONYMOUS.sub("", name)
    plain = _without_brackets(found, "<", ">")
    is_signature = plain.startswith(_RETURNS_NOTHING)
    without_parameters = _without_last_parameters(plain)
    parameters = plain[len(without_parameters) :]
    # Calls in other languages have the same form: `forward(3)`, `load(train)`.
    is_cpp = is_signature or plain != found or "::" in plain or "*" in parameters
    if parameters and is_cpp and not parameters[1].isdigit():
        is_signature = True
        plain = without_parameters
    plain = _NAMESPACES.sub("", plain)
    if is_signature:
        # Only a type can be before the name: `void copy`, `enable_if::type copy`.
        plain = plain.rpartition(" ")[2]
    return plain or name


def _without_brackets(text: str, opening: str, closing: str) -> str:
    """Remove brackets that directly follow a word, with their contents.

    Returns the text unchanged if a bracket is never closed.
    """
    kept: list[str] = []
    depth = 0
    before = ""
    for letter in text:
        follows_word = before.isalnum() or before == "_"
        if letter == opening and (depth or follows_word):
            depth += 1
        if not depth:
            kept.append(letter)
        if letter == closing and depth and before != "-":  # `->` closes nothing
            depth -= 1
        before = letter
    return text if depth else "".join(kept)


def _without_last_parameters(text: str) -> str:
    """Remove the parameters that a C++ signature ends with, such as `(int, float)`."""
    signature = text.removesuffix(" const")
    if not signature.endswith(")"):
        return text
    depth = 0
    for place in range(len(signature) - 1, 0, -1):
        if signature[place] == ")":
            depth += 1
        elif signature[place] == "(":
            depth -= 1
        if depth == 0:
            # After a space they are not parameters: `Memcpy HtoD (Pageable -> Device)`.
            is_attached = not signature[place - 1].isspace()
            return signature[:place] if is_attached else text
    return text
