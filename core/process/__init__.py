"""Child processes: their start, messages and end.

A `child` runs a module and sends messages until it ends; a `worker` executes calls. Both end with
their parent (`lifeline`).
"""
