"""The module that a worker's process runs: `core.process.child` starts it, `worker.serve` works."""

from core.process.lifeline import open_pipes
from core.process.worker import serve

if __name__ == "__main__":
    serve(*open_pipes())
