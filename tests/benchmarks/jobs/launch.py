"""Starts a script as the ranks of a job: `launch.py RANKS SCRIPT`; without torch, so it is quick.

Ends with the first status that is not 0, and ends the other ranks then. With faults behind it
(`launch.py RANKS SCRIPT loader host`) the job runs once with each, in JOB_FOLDER/loader and so on:
each rank imports torch once, and forks a process for each fault.
"""

import os
import runpy
import socket
import subprocess
import sys
import time
from contextlib import ExitStack


def free_ports(count):
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [str(one.getsockname()[1]) for one in sockets]


def main(ranks, script, faults):
    ports = free_ports(max(1, len(faults)))
    meeting = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": ports[0], "WORLD_SIZE": str(ranks)}
    cases = [f"{fault}:{port}" for fault, port in zip(faults, ports, strict=False)]
    running = []
    for rank in range(ranks):
        own = {"RANK": str(rank), "LOCAL_RANK": str(rank)}
        words = [sys.executable, *([__file__, "rank", script, *cases] if cases else [script])]
        running.append(subprocess.Popen(words, env={**os.environ, **meeting, **own}))
    try:
        while any(process.poll() is None for process in running):
            if any(process.poll() for process in running):
                break
            time.sleep(0.05)
    finally:
        for process in running:
            process.terminate()
    return max(process.wait() for process in running)


def run_cases(script, cases):
    """Run a script as one rank, once for each fault and port."""
    import torch  # noqa: F401  # the forked processes have it then

    sys.path.insert(0, os.path.dirname(script))
    folder = os.environ["JOB_FOLDER"]
    for fault, port in (case.split(":") for case in cases):
        process = os.fork()
        if not process:
            own = os.path.join(folder, fault)
            os.environ.update(JOB_FAULT=fault, MASTER_PORT=port, JOB_FOLDER=own)
            os.environ["JOB_RECORD"] = os.path.join(own, "runs")
            sys.argv = [script]
            runpy.run_path(script, run_name="__main__")
            sys.stdout.flush()
            os._exit(0)
        _, status = os.waitpid(process, 0)
        if status:
            return 1
    return 0


if __name__ == "__main__":
    if sys.argv[1] == "rank":
        sys.exit(run_cases(sys.argv[2], sys.argv[3:]))
    sys.exit(main(int(sys.argv[1]), sys.argv[2], sys.argv[3:]))
