"""Where things stand, in pixels. Pure."""
