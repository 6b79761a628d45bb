"""What happened: a run as columns in memory, searched, cut to steps and checked for gaps."""
