"""The sheet of keys and mouse gestures."""
