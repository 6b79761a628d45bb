"""The command that listens: addresses that are none."""

import pytest

from main import main


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("8.8.8.8:1234", "--address 8.8.8.8:1234: "),
        ("0.0.0.0:99999", "--address 0.0.0.0:99999: use HOST:PORT, a port from 0 to 65535"),
        ("foo:bar", "--address foo:bar: use HOST:PORT, a port from 0 to 65535"),
        ("no.such.host.invalid:0", "--address no.such.host.invalid:0: "),
        (f"{'x' * 70}:0", f"--address {'x' * 70}:0: "),
    ],
)
def test_an_address_that_is_none_is_refused_with_what_would_be_one(
    capsys, monkeypatch, tmp_path, address, said
):
    monkeypatch.chdir(tmp_path)
    assert main(["listen", "--address", address]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"bubblescope: {said}") and told.count("\n") == 1
    assert "such as 127.0.0.1:0" in told and "Errno" not in told
