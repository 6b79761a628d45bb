"""`--on`: what a command says of a host that it may not or cannot use."""

import os

import pytest

from bubblescope.cli.parser import BAD_INPUT
from bubblescope.cli.start import run_arguments
from tests.sshd import write_script

COMMANDS = (
    ["devices"],
    ["run"],
    ["sweep", "--strategy", "dp"],
    ["lesson", "1"],
    ["calibrate", "--costs", "costs.json"],
)


@pytest.fixture
def said(tmp_path, monkeypatch, capsys):
    """Runs a command that must fail where ssh reaches nothing, and returns its one line."""
    write_script(tmp_path / "ssh", "echo 'No route to host' >&2; exit 255")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)

    def run(words):
        assert run_arguments(words) == BAD_INPUT
        out, err = capsys.readouterr()
        [line] = err.splitlines()
        assert not out
        return line

    return run


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_an_unreachable_host_is_reported_with_the_reason(said, command):
    line = said([*command, "--on", "me@gpu"])
    assert line == "bubblescope: the machine me@gpu cannot be reached: No route to host"


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_host_that_ssh_would_take_for_an_option_is_refused(said, command):
    line = said([*command, "--on=-oProxyCommand=touch x"])
    assert line.startswith("bubblescope: --on '-oProxyCommand=touch x': use USER@HOST")


def test_torchrun_is_not_started_elsewhere(said):
    line = said(["run", "--strategy", "ddp", "--launcher", "torchrun", "--on", "gpu"])
    assert line == "bubblescope: --on gpu: torchrun runs on this machine; run the command there"


def test_a_forwarded_port_leads_to_the_loopback_interface(said):
    line = said(["listen", "--address", "10.0.0.5:0", "--on", "gpu"])
    wanted = "--address 10.0.0.5:0: a port of gpu leads to 127.0.0.1; leave --address out"
    assert line == f"bubblescope: {wanted}"
