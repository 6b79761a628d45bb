"""The tool bar and the status bar: what runs, how far it is, how it was measured."""
