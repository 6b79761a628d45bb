"""Score of a text for a few typed letters. Pure."""

from __future__ import annotations

# Score of a letter, by the place where its word was found.
START = 3.0
INSIDE = 2.0
SCATTERED = 1.0
SKIPPED = 0.1  # subtracted for each letter between scattered ones
LENGTH = 0.001  # subtracted for each letter of the text, so that shorter texts are listed first


def score(typed: str, text: str) -> float | None:
    """Return the score of a text, higher is better; None if a typed word does not match.

    Words may be in any order. A typed word counts most at the beginning of a word of the text, less
    inside a word, and least if its letters are in order but not next to each other.
    """
    text = text.casefold()
    total = 0.0
    for word in typed.casefold().split():
        worth = _word(word, text)
        if worth is None:
            return None
        total += worth
    return total - LENGTH * len(text)


def _word(word: str, text: str) -> float | None:
    place = text.find(word)
    # Prefer a place that begins a word; -1 means that there is none.
    while place > 0 and text[place - 1].isalnum():
        place = text.find(word, place + 1)
    if place >= 0:
        return START * len(word)
    if word in text:
        return INSIDE * len(word)
    return _scattered(word, text)


def _scattered(word: str, text: str) -> float | None:
    """Return the best score of letters in order but apart, over all places of the first one."""
    best: float | None = None
    for first, letter in enumerate(text):
        if letter != word[0]:
            continue
        last = _last(word, text, first)
        if last is None:
            continue
        skipped = last - first + 1 - len(word)
        worth = SCATTERED * len(word) - SKIPPED * skipped
        best = worth if best is None else max(best, worth)
    return best


def _last(word: str, text: str, first: int) -> int | None:
    """Return the place of the last letter of `word` if the first is at `first`."""
    place = first - 1
    for letter in word:
        place = text.find(letter, place + 1)
        if place < 0:
            return None
    return place
