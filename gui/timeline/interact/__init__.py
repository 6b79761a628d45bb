"""Widgets of the timeline, and its mouse input, crosshair and tooltips."""
