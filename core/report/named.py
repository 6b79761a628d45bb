"""Least costs at which the verdict names a fault."""

NAMED = 0.035
"""Least share of a step that a slow lane or link, or a hiccup, costs to be named."""
RUN_HICCUP = 0.1
"""Least share of its step that a hiccup of a run of this program costs to be named. Of 99 runs
without a fault on a quiet machine, five had a task that the machine stopped for 3.5 to 7 ms, which
was 4 to 10 % of its step."""
DISTURBED_NS = 1_000_000
"""A machine may delay a task by this much from time to time; such a delay is no hiccup."""
JOB_DISTURBED_NS = 5_000_000
"""The same delay in a training job. Its processes share their machine with others, and the
scheduler may stop them within a task, for 3 to 4 ms at a time on Linux."""
