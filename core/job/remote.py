"""Receives training jobs of another machine: ssh forwards a port there to the listener here."""

from __future__ import annotations

from dataclasses import replace

from core.job.client import JobClient
from core.message import Message
from core.process.remote_programs import LOOPBACK, Forward


class RemoteJobClient(JobClient):
    """Accepts the ranks of jobs of a host, through ssh, until `close`.

    `where` is the port on the host's loopback interface, None until it is open. When the connection
    to the host ends, the current run fails and `lost` says why; no job can connect from then on.
    `host` must be checked (core.process.ssh).
    """

    def __init__(self, host: str) -> None:
        """Raise OSError if ssh cannot be started."""
        super().__init__(LOOPBACK, 0)
        self.host = host
        self._here = self._listener.where
        self.where = None
        try:
            self._forward = Forward(host, self._here.port, self._take_event)
        except OSError:
            super().close()
            raise

    def close(self) -> None:
        """Stop listening, end the current run, and end the connection to the host."""
        super().close()
        # Last, so that the ranks are disconnected by the listener and their run ends as stopped.
        self._forward.close()

    def _take_event(self, event: int | Message) -> None:
        """Note the port on the host, or the reason for its end. Called on another thread."""
        if isinstance(event, int):
            self.where = replace(self._here, host=LOOPBACK, port=event)
        else:
            self.break_off(event)
            self.where = None
            self.lost = event
