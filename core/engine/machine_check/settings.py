"""Settings and counts of the machine that affect measurements, read from the system's files."""

from __future__ import annotations

from pathlib import Path

from core.check.measured import UNKNOWN, Setting
from core.engine.hardware import warnings

CORES = Path("/sys/devices/system/cpu")
CGROUP = Path("/sys/fs/cgroup")
SUPPLIES = Path("/sys/class/power_supply")


def fixed_settings() -> list[Setting]:
    """Return the settings that do not change during a check."""
    blocking = "on" if warnings() else "off"
    return [
        Setting("governor", governor(CORES)),
        Setting("launch blocking", blocking),
        Setting("battery", "on" if on_battery(SUPPLIES) else "off"),
    ]


def governor(cores: Path) -> str:
    """Return the governors of the cores' clocks, separated by commas; UNKNOWN without any."""
    found = {_read(path) for path in cores.glob("cpu*/cpufreq/scaling_governor")}
    found.discard("")
    return ", ".join(sorted(found)) or UNKNOWN


def on_battery(supplies: Path) -> bool:
    """Return True if a battery is being discharged."""
    return any(_read(path) == "Discharging" for path in supplies.glob("*/status"))


def heat_count(cores: Path) -> int | None:
    """Return how often the cores have been slowed down because of heat; None if unknown."""
    counts = [_read(path) for path in cores.glob("cpu*/thermal_throttle/core_throttle_count")]
    known = [int(count) for count in counts if count.isdigit()]
    return sum(known) if known else None


def stopped_us(cgroup: Path) -> int:
    """Return the time in µs for which the container's limit has stopped its processes."""
    for name in ("cpu.stat", "cpu/cpu.stat"):
        for line in _read(cgroup / name).splitlines():
            key, _, value = line.partition(" ")
            if key == "throttled_usec":
                return int(value)
            if key == "throttled_time":  # the older version, in ns
                return int(value) // 1000
    return 0


class Counts:
    """Counts of the system since construction."""

    def __init__(self) -> None:
        self._heat = heat_count(CORES)
        self._stopped = stopped_us(CGROUP)

    def settings(self) -> list[Setting]:
        """Return how much the counts have grown."""
        heat = heat_count(CORES)
        stopped = stopped_us(CGROUP)
        times = UNKNOWN
        if heat is not None and self._heat is not None:
            times = f"{heat - self._heat} ×"
        milliseconds = (stopped - self._stopped) // 1000
        return [
            Setting("heat", times),
            Setting("time limit", f"{milliseconds} ms"),
        ]


def _read(path: Path) -> str:
    """Return the text of one of the system's files; "" if it cannot be read."""
    try:
        return path.read_text().strip()
    except OSError:
        return ""
