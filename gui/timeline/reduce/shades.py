"""How much of each pixel each family takes, for pictures of many thin lanes. NumPy only."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from core.predict.whatif import WhatIfResult
from gui.look.families import FAMILIES, FAMILY_CODES


def shares(answer: WhatIfResult, pixels: int) -> NDArray[np.float64]:
    """The share, 0 to 1, of each family in each pixel of each lane.

    Shape (lanes, pixels, families); what is missing to 1 in a pixel is idle time.
    """
    lanes, families = len(answer.first) - 1, len(FAMILIES)
    scale = pixels / max(1, answer.makespan_ns)
    shape = (lanes, families, pixels + 1)
    lane = np.repeat(np.arange(lanes), np.diff(answer.first))
    rows = (lane * families + FAMILY_CODES[answer.kind]) * (pixels + 1)
    at = np.concatenate([answer.start, answer.end]) * scale
    sign = np.repeat([1.0, -1.0], len(rows))
    pixel = at.astype(np.int64)
    at -= pixel
    at *= sign
    # A row of starts and one of ends, shape (2, tasks): a task's two moments lie in the same row.
    pixel.reshape(2, -1)[:] += rows
    # What begins at p + f takes 1 - f of pixel p, and all of those behind it until it ends.
    found = np.zeros(shape)
    np.cumsum(np.bincount(pixel, sign, math.prod(shape)).reshape(shape), axis=2, out=found)
    found -= np.bincount(pixel, at, math.prod(shape)).reshape(shape)
    return found[:, :, :pixels].transpose(0, 2, 1)


def blended(found: NDArray[np.float64], colours: NDArray[np.float64]) -> NDArray[np.uint32]:
    """Pixels of the families' mixed colours, 0xAARRGGBB premultiplied; idle is transparent.

    `colours` has a row of red, green and blue, 0 to 255, for each family; shape (lanes, pixels).
    """
    busy = np.clip(found.sum(axis=2), 0.0, 1.0)
    red, green, blue = (
        np.minimum(found @ colours[:, c], 255.0).astype(np.uint32) for c in range(3)
    )
    # The colours were multiplied by their shares above, which is what premultiplied means.
    alpha = np.rint(busy * 255).astype(np.uint32)
    pixels: NDArray[np.uint32] = alpha << 24 | red << 16 | green << 8 | blue
    return pixels
