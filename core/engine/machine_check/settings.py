"""Settings and counts of the machine that affect measurements, read from the operating system."""

from __future__ import annotations

from pathlib import Path

from core.check.measured import UNKNOWN, Setting
from core.engine.hardware import is_launch_blocking

CORES = Path("/sys/devices/system/cpu")
CGROUP = Path("/sys/fs/cgroup")
SUPPLIES = Path("/sys/class/power_supply")


def fixed_settings() -> list[Setting]:
    """Return the settings that are read once: they should not change during a check."""
    return [
        Setting("governor", governor(CORES)),
        Setting("launch blocking", _on_or_off(is_launch_blocking())),
        Setting("battery", _on_or_off(on_battery(SUPPLIES))),
    ]


def _on_or_off(is_on: bool) -> str:
    return "on" if is_on else "off"


def governor(cores: Path) -> str:
    """Return the clock governors of the cores, separated by commas; UNKNOWN without any."""
    found = {_read(path) for path in cores.glob("cpu*/cpufreq/scaling_governor")}
    found.discard("")
    if not found:
        return UNKNOWN
    return ", ".join(sorted(found))


def on_battery(supplies: Path) -> bool:
    """Return True if a battery is discharging."""
    return any(_read(path) == "Discharging" for path in supplies.glob("*/status"))


def heat_count(cores: Path) -> int | None:
    """Return how often the cores have been slowed down because of heat; None if unknown."""
    counts = [_read(path) for path in cores.glob("cpu*/thermal_throttle/core_throttle_count")]
    known = [int(count) for count in counts if count.isdigit()]
    if not known:
        return None
    return sum(known)


def stopped_us(cgroup: Path) -> int:
    """Return the µs for which the container's CPU limit has stopped its processes; 0 if unknown."""
    # The file of version 2 of control groups, and the file of version 1.
    for name in ("cpu.stat", "cpu/cpu.stat"):
        for line in _read(cgroup / name).splitlines():
            key, _, value = line.partition(" ")
            if key == "throttled_usec":
                return int(value)
            if key == "throttled_time":  # version 1, in ns
                return int(value) // 1000
    return 0


class SystemCounts:
    """Growth of counts of the operating system since construction."""

    def __init__(self) -> None:
        self._heat = heat_count(CORES)
        self._stopped = stopped_us(CGROUP)

    def settings(self) -> list[Setting]:
        """Return the growth of each count so far."""
        heat = heat_count(CORES)
        heat_text = UNKNOWN
        if heat is not None and self._heat is not None:
            heat_text = f"{heat - self._heat} ×"
        stopped_ms = (stopped_us(CGROUP) - self._stopped) // 1000
        return [
            Setting("heat", heat_text),
            Setting("time limit", f"{stopped_ms} ms"),
        ]


def _read(path: Path) -> str:
    """Return the text of one of the system's files; "" if it cannot be read."""
    try:
        return path.read_text().strip()
    except OSError:
        return ""
