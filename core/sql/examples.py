"""Ten example queries, which docs/sql.md shows as well."""

from __future__ import annotations

from typing import NamedTuple

from core.message import N_


class Example(NamedTuple):
    """A question in words and in SQL."""

    title: str
    query: str


EXAMPLES = (
    Example(
        N_("Time of each kind on each lane"),
        """\
SELECT lane, kind, count(*) AS spans, sum(duration_ns) / 1e6 AS ms
FROM spans GROUP BY ALL ORDER BY ms DESC""",
    ),
    Example(
        N_("Idle time by cause"),
        """\
SELECT cause, sum(duration_ns) / 1e6 AS ms, count(DISTINCT lane) AS lanes
FROM idle GROUP BY cause ORDER BY ms DESC""",
    ),
    Example(
        N_("Which lane waits for which"),
        """\
SELECT lane, waits_for, sum(duration_ns) / 1e6 AS ms
FROM idle WHERE lane <> waits_for GROUP BY ALL ORDER BY ms DESC""",
    ),
    Example(
        N_("The longest spans"),
        """\
SELECT step, lane, kind, name, microbatch, duration_ns / 1e6 AS ms
FROM spans ORDER BY duration_ns DESC LIMIT 20""",
    ),
    Example(
        N_("Share of each step in which a lane is idle"),
        """\
SELECT run, step, lane, sum(duration_ns) / any_value(makespan_ns) AS share
FROM idle JOIN steps USING (run, step) GROUP BY ALL ORDER BY step, lane""",
    ),
    Example(
        N_("Scatter of durations"),
        """\
SELECT kind, stage, median(duration_ns) / 1e6 AS median_ms,
       quantile_cont(duration_ns, 0.95) / 1e6 AS p95_ms, max(duration_ns) / 1e6 AS longest_ms
FROM spans JOIN steps USING (run, step) WHERE measured GROUP BY ALL ORDER BY kind, stage""",
    ),
    Example(
        N_("Spans that take twice as long as the same task's median"),
        """\
SELECT run, step, lane, kind, task, duration_ns / 1e6 AS ms, usual / 1e6 AS usual_ms FROM (
  SELECT *, median(duration_ns) OVER (PARTITION BY run, task) AS usual FROM spans)
WHERE duration_ns > 2 * usual ORDER BY duration_ns - usual DESC LIMIT 50""",
    ),
    Example(
        N_("Bytes moved in each step"),
        """\
SELECT run, step, kind, sum(bytes) / 1e6 AS mb, sum(duration_ns) / 1e6 AS ms
FROM spans WHERE bytes > 0 GROUP BY ALL ORDER BY run, step, mb DESC""",
    ),
    Example(
        N_("Steps with their loss"),
        """\
SELECT run, step, measured, makespan_ns / 1e6 AS ms, loss FROM steps ORDER BY run, step""",
    ),
    Example(
        N_("Peak memory of each lane"),
        """\
SELECT run, lane, counter, max(value) / 1e6 AS mb
FROM counters WHERE lane IS NOT NULL GROUP BY ALL ORDER BY mb DESC""",
    ),
)
