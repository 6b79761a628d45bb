"""Explanation of a trace: causes of idle time, critical path, statistics, balance of lanes."""
