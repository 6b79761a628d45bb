"""Where tasks run: threads and streams with their clocks, and what they hold in memory."""
