"""Shares of families in each pixel, for pictures of many thin lanes. NumPy only."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from core.arrays import Floats
from core.predict.whatif import WhatIfResult
from gui.look.families import FAMILIES, FAMILY_CODES


def shares(answer: WhatIfResult, pixels: int) -> Floats:
    """Return the share, 0 to 1, of each family in each pixel of each lane.

    The result has shape (lanes, pixels, families); the remainder to 1 in a pixel is idle time.
    """
    lanes = len(answer.first) - 1
    families = len(FAMILIES)
    scale = pixels / max(1, answer.makespan_ns)
    shape = (lanes, families, pixels + 1)
    lane = np.repeat(np.arange(lanes), np.diff(answer.first))
    row = lane * families + FAMILY_CODES[answer.kind]
    row_begins = row * (pixels + 1)
    at = np.concatenate([answer.start, answer.end]) * scale
    sign = np.repeat([1.0, -1.0], len(row))
    pixel = at.astype(np.int64)
    at -= pixel
    at *= sign
    # Reshaped to a row of starts and a row of ends, because both times of a task are on its lane.
    pixel.reshape(2, -1)[:] += row_begins
    # A task that begins at p + f takes 1 - f of pixel p, and all of the pixels after p to its end.
    size = math.prod(shape)
    changes = np.bincount(pixel, sign, size).reshape(shape)
    fractions = np.bincount(pixel, at, size).reshape(shape)
    found = np.zeros(shape)
    np.cumsum(changes, axis=2, out=found)
    found -= fractions
    return found[:, :, :pixels].transpose(0, 2, 1)


def blended(found: Floats, colours: Floats) -> NDArray[np.uint32]:
    """Return pixels of mixed colours, 0xAARRGGBB premultiplied; idle time is transparent.

    `found` has shape (lanes, pixels, families), the result (lanes, pixels). `colours` has a row of
    red, green and blue, 0 to 255, for each family.
    """
    busy = np.clip(found.sum(axis=2), 0.0, 1.0)
    alpha = np.rint(busy * 255).astype(np.uint32)
    # Multiplying the colours by their shares makes them premultiplied.
    mixed = found @ colours
    channels = np.minimum(mixed, 255.0).astype(np.uint32)
    pixels: NDArray[np.uint32] = alpha << 24
    pixels |= channels[..., 0] << 16
    pixels |= channels[..., 1] << 8
    pixels |= channels[..., 2]
    return pixels
