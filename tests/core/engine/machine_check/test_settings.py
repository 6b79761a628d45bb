"""Settings of the machine, read from files like the system's."""

from core.engine.machine_check import settings


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_governors_are_listed_once(tmp_path):
    assert settings.governor(tmp_path) == "unknown"
    for core, text in enumerate(["powersave\n", "performance\n", "powersave\n"]):
        put(tmp_path / f"cpu{core}" / "cpufreq" / "scaling_governor", text)
    assert settings.governor(tmp_path) == "performance, powersave"


def test_a_battery_counts_while_it_is_discharged(tmp_path):
    assert not settings.on_battery(tmp_path)
    put(tmp_path / "BAT0" / "status", "Charging\n")
    assert not settings.on_battery(tmp_path)
    put(tmp_path / "BAT0" / "status", "Discharging\n")
    assert settings.on_battery(tmp_path)


def test_both_versions_of_the_containers_limit_are_read(tmp_path):
    assert settings.stopped_us(tmp_path) == 0
    put(tmp_path / "cpu" / "cpu.stat", "nr_periods 9\nthrottled_time 5000000\n")
    assert settings.stopped_us(tmp_path) == 5000
    put(tmp_path / "cpu.stat", "nr_periods 9\nthrottled_usec 7000\n")
    assert settings.stopped_us(tmp_path) == 7000


def test_counts_that_grew_during_the_check_are_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(settings, "CORES", tmp_path)
    monkeypatch.setattr(settings, "CGROUP", tmp_path)
    count = tmp_path / "cpu0" / "thermal_throttle" / "core_throttle_count"
    put(count, "10\n")
    put(tmp_path / "cpu.stat", "throttled_usec 1000\n")
    counts = settings.SystemCounts()
    put(count, "13\n")
    put(tmp_path / "cpu.stat", "throttled_usec 41000\n")
    values = {setting.name: setting.value for setting in counts.settings()}
    assert values == {"heat": "3 ×", "time limit": "40 ms"}
