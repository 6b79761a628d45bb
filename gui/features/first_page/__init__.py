"""What somebody sees who opens the window for the first time."""
