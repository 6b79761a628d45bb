"""Controllers of what is explained: steps, ranges and bubbles, worked out beside the window."""
