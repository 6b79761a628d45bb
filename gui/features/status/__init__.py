"""The toolbar and the status bar: the run, its progress, and how it was measured."""
