"""Pure functions for the layout of pictures, in pixels."""
