"""Two runs beside each other: what differs, what it adds up to, and the main reason."""
