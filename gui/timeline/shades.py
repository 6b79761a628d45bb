"""How much of each pixel each family takes, for pictures of many thin lanes. NumPy only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.predict.whatif import Answer
from gui.families import FAMILIES, FAMILY_CODES


def shares(answer: Answer, pixels: int) -> NDArray[np.float64]:
    """The share, 0 to 1, of each family in each pixel of each lane.

    Shape (lanes, pixels, families); what is missing to 1 in a pixel is idle time.
    """
    lanes, whole = len(answer.first) - 1, max(1, answer.makespan_ns)
    found = np.zeros((lanes, pixels, len(FAMILIES)))
    families = FAMILY_CODES[answer.kind]
    # All lanes stand one behind the other in time, so that one pass serves them all.
    before = np.repeat(np.arange(lanes), np.diff(answer.first)) * float(whole)
    bounds = np.stack([answer.start + before, answer.end + before], axis=1).ravel()
    edges = np.linspace(0.0, float(whole) * lanes, pixels * lanes + 1)
    for family in sorted(set(families.tolist())):  # np.unique imports numpy.ma before first paint
        mine = families == family
        at = bounds.reshape(-1, 2)[mine].ravel()
        spent = np.cumsum(np.where(mine, answer.end - answer.start, 0)[mine])
        upto = np.concatenate([[0], np.repeat(spent, 2)[:-1]])
        found[:, :, family] = np.diff(np.interp(edges, at, upto)).reshape(lanes, pixels)
    return found * (pixels / whole)


def blended(found: NDArray[np.float64], colours: NDArray[np.float64]) -> NDArray[np.uint32]:
    """Pixels of the families' mixed colours, 0xAARRGGBB premultiplied; idle is transparent.

    `colours` has a row of red, green and blue, 0 to 255, for each family; shape (lanes, pixels).
    """
    busy = np.clip(found.sum(axis=2), 0.0, 1.0)
    red, green, blue = (
        np.minimum(found @ colours[:, c], 255.0).astype(np.uint32) for c in range(3)
    )
    alpha = np.rint(busy * 255).astype(np.uint32)
    return alpha << 24 | red << 16 | green << 8 | blue
