"""Child processes, in one way for all: how they start, exchange messages and end.

`child` is a process that runs a module and sends messages for as long as it lives; `worker` is one
that only computes what it is asked for. Either ends with its parent (`lifeline`).
"""
