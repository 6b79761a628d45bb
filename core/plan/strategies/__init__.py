"""Strategies: one small file each. To add one, write its file and list it here."""

from core.plan.plan import Strategy
from core.plan.strategies import ddp, dp, dp_pp, fsdp, mp, pipeline, single, tp

STRATEGIES: dict[str, Strategy] = {
    module.STRATEGY.name: module.STRATEGY
    for module in (single, dp, ddp, fsdp, mp, tp, pipeline, dp_pp)
}
