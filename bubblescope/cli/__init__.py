"""The command line: arguments in, tables and files out. Imports Qt only to draw, and no torch."""
