"""Runs a command that has the test device: `python -m tests.device pytest -m accelerator`."""

import os
import sys

from tests.device.build import device_environment

if len(sys.argv) < 2:
    sys.exit("usage: python -m tests.device COMMAND ...")
os.execvpe(sys.argv[1], sys.argv[1:], device_environment())
