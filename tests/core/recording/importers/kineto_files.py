"""Files of PyTorch's profiler for tests: the heading of a real file around given events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

BASE_NS = 1_727_987_400_000_000_000
"""The moment, in ns since 1970, from which the files count unless they are told another."""


def kineto_file(
    rank: int,
    events: Sequence[dict[str, Any]],
    world_size: int = 2,
    base_ns: int = BASE_NS,
    **changed: Any,
) -> dict[str, Any]:
    """A rank's file with all parts of a heading; `changed` replaces some, None leaves one out."""
    parts = {
        "schemaVersion": 1,
        "deviceProperties": [_device(number) for number in range(world_size)],
        "cupti_version": 18,
        "cuda_runtime_version": 12010,
        "with_flops": 0,
        "record_shapes": 1,
        "distributedInfo": {
            "backend": "nccl",
            "rank": rank,
            "world_size": world_size,
            "pg_count": 1,
            "pg_config": [
                {
                    "pg_name": "0",
                    "pg_desc": "default_pg",
                    "backend_config": "cuda:nccl",
                    "pg_size": world_size,
                    "ranks": list(range(world_size)),
                }
            ],
            "nccl_version": "2.19.3",
        },
        "displayTimeUnit": "ms",
        "baseTimeNanoseconds": base_ns,
        "traceEvents": list(events),
        "traceName": f"/tmp/libkineto_activities_{rank}.json",
    }
    return {name: part for name, part in (parts | changed).items() if part is not None}


def _device(number: int) -> dict[str, Any]:
    return {
        "id": number,
        "name": "NVIDIA A100-SXM4-40GB",
        "totalGlobalMem": 42_297_524_224,
        "computeMajor": 8,
        "computeMinor": 0,
        "maxThreadsPerBlock": 1024,
        "warpSize": 32,
        "numSms": 108,
    }
