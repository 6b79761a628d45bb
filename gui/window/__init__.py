"""The main window: makes its parts, connects them and starts them."""
