"""The main module of a worker's process, started by `core.process.child`."""

from core.process.lifeline import open_pipes
from core.process.worker import serve

if __name__ == "__main__":
    serve(*open_pipes())
