"""Two runs one above the other: linked views, joined tasks, and what they differ by."""
