"""Child processes: how they start, how they are spoken with, and how they end with their parent."""
