"""Score of a text for a few typed letters. Pure."""

from __future__ import annotations

START, INSIDE, SCATTERED = 3.0, 2.0, 1.0  # worth of a letter by where its word was found
SKIPPED = 0.1  # taken off for each letter that lies between scattered ones
LENGTH = 0.001  # taken off for each letter of the text, so of two texts the shorter comes first


def score(typed: str, text: str) -> float | None:
    """Return the score of a text, higher is better; None if a typed word does not match.

    Words come in any order. A word counts most at the beginning of one of the text's, less
    inside, and least with its letters in order but apart.
    """
    text = text.casefold()
    found = [_word(word, text) for word in typed.casefold().split()]
    worths = [worth for worth in found if worth is not None]
    if len(worths) < len(found):
        return None
    return sum(worths) - LENGTH * len(text)


def _word(word: str, text: str) -> float | None:
    place = text.find(word)
    # Goes on to the next place until one begins a word; -1 ends it too.
    while place > 0 and text[place - 1].isalnum():
        place = text.find(word, place + 1)
    if place >= 0:
        return START * len(word)
    return INSIDE * len(word) if word in text else _scattered(word, text)


def _scattered(word: str, text: str) -> float | None:
    """Return the best score of letters in order but apart, over all places of the first one."""
    best: float | None = None
    for first, letter in enumerate(text):
        if letter == word[0] and (last := _last(word, text, first)) is not None:
            worth = SCATTERED * len(word) - SKIPPED * (last - first + 1 - len(word))
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
