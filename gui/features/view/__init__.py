"""Options of the timeline: strips, groups, and colours."""
