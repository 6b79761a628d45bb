"""The colours of Chrome's trace format by name (`cname`), as its viewers paint them."""

from __future__ import annotations

OWN_COLOURS = {
    "thread_state_uninterruptible": "#b67d8f",
    "thread_state_iowait": "#ff8c00",
    "thread_state_running": "#7ec894",
    "thread_state_runnable": "#85a0d2",
    "thread_state_sleeping": "#f0f0f0",
    "thread_state_unknown": "#c79b7d",
    "background_memory_dump": "#00b4b4",
    "light_memory_dump": "#0000b4",
    "detailed_memory_dump": "#b400b4",
    "vsync_highlight_color": "#0000ff",
    "generic_work": "#7d7d7d",
    "good": "#007d00",
    "bad": "#b47d00",
    "terrible": "#b40000",
    "black": "#000000",
    "grey": "#dddddd",
    "white": "#ffffff",
    "yellow": "#ffff00",
    "olive": "#646400",
    "rail_response": "#4387fd",
    "rail_animation": "#f44a3f",
    "rail_idle": "#ee8e00",
    "rail_load": "#0da861",
    "startup": "#e6e600",
    "heap_dump_stack_frame": "#808080",
    "heap_dump_object_type": "#0000ff",
    "heap_dump_child_node_arrow": "#cc6600",
    "cq_build_running": "#ffff77",
    "cq_build_passed": "#99ee66",
    "cq_build_failed": "#ee8888",
    "cq_build_abandoned": "#bbbbbb",
    "cq_build_attempt_runnig": "#dede4b",
    "cq_build_attempt_passed": "#67da23",
    "cq_build_attempt_failed": "#c55151",
}
"""All colours that viewers know; the spelling `runnig` is theirs."""
OWN_CODES = {name: code for code, name in enumerate(OWN_COLOURS)}
