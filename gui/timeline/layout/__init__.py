"""Layout of pictures, in pixels. Pure."""
