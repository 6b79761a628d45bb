"""The timeline's widgets, and what mouse and pointer do on them."""
