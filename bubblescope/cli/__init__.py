"""The command line. Imports Qt only to draw, and never torch."""
