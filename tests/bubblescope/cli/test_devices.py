"""The output of `devices`."""

import re

from bubblescope.cli.report import devices_text
from core.plan.devices import Accelerator, Hardware

GPU = "NVIDIA or AMD GPU"


def test_accelerators_are_listed_with_their_abilities():
    found = Accelerator("cuda:0", "Imaginary 9000", 24 << 30), Accelerator("cuda:1", "Other", 0)
    lines = devices_text(Hardware(8, 64 << 30, found)).splitlines()
    assert [re.split(r"\s{2,}", line) for line in lines] == [
        ["device", "name", "memory", "as lanes", "kind", "abilities"],
        ["cpu", "8 cores", "68.7 GB", "2xcpu", "CPU", "timed by the host, gloo"],
        ["cuda:0", "Imaginary 9000", "25.8 GB", "cuda:0", GPU, "streams, timed events, nccl, gloo"],
        ["cuda:1", "Other", "unknown", "cuda:1", GPU, "streams, timed events, nccl, gloo"],
    ]


def test_an_out_of_tree_backend_is_listed_by_its_name():
    text = devices_text(Hardware(2, 8 << 30, (Accelerator("strange:0", "strange device", 0),)))
    line = text.splitlines()[2]
    assert line.split()[0] == "strange:0" and "out-of-tree backend  streams, timed events" in line


def test_without_an_accelerator_the_table_says_so():
    assert devices_text(Hardware(2, 8 << 30)).endswith(
        "\nThere is no accelerator: runs use CPU lanes."
    )
