"""Settings with which to run the pipeline of a What-if question. Pure."""

from __future__ import annotations

from core.plan.faults import FAULT_OPTIONS
from core.plan.link import Link
from core.plan.specification import STRATEGY_OPTIONS, Specification
from core.plan.strategies.pipeline import STRATEGY
from core.predict.whatif import WhatIfQuery


def run_of(question: WhatIfQuery, base: Specification, lanes: int) -> Specification:
    """Return the settings that run the pipeline of a question.

    Other settings, such as the model and the optimizer, are taken from `base`, a run on `lanes`
    compute lanes. If the question has another number of devices, the lanes are virtual.
    """
    options = (*STRATEGY_OPTIONS, *FAULT_OPTIONS)
    cleared = base.having(**{option.name: option.default for option in options})
    is_same_number = question.devices == lanes
    link = base.link if question.link is None else link_setting(question.link)
    return cleared.having(
        strategy=STRATEGY.name,
        devices=base.devices if is_same_number else f"{question.devices}xvirtual",
        batch=question.batch,
        link=link,
        schedule=question.schedule,
        chunks=question.chunks,
        microbatches=question.microbatches,
        borders=question.borders,
        **question.faults,
    )


def link_setting(link: Link) -> str:
    """Return the value of `--link` for a link: latency in µs and bandwidth in GB/s."""
    latency_us = link.latency_ns / 1e3
    bandwidth_gb_s = 1 / link.ns_per_byte
    return f"{latency_us:g}:{bandwidth_gb_s:g}"
