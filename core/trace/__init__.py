"""What happened: the Arrow stream that is wire and recording, and the columns read from it."""
