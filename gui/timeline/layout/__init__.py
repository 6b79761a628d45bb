"""Layout of pictures, in pixels, by pure functions."""
