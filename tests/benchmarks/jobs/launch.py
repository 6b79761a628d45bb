"""Starts a script as the ranks of a job: `launch.py RANKS SCRIPT`; without torch, so it is quick.

Ends with the first status that is not 0, and ends the other ranks then.
"""

import os
import socket
import subprocess
import sys
import time


def main(ranks, script):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    meeting = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": str(ranks)}
    running = []
    for rank in range(ranks):
        own = {"RANK": str(rank), "LOCAL_RANK": str(rank)}
        words = (sys.executable, script)
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


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2]))
