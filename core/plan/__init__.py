"""What must happen: tasks on lanes and what each waits for. Pure Python, no torch."""
