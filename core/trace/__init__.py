"""What happened: the Arrow stream that is wire, recording and file, and the columns read from it."""
