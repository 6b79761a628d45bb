"""The timeline's widgets, with the mouse, the pointer and tooltips."""
