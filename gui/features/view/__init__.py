"""What the timeline shows, and in which colours."""
