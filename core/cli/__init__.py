"""The command line: arguments in, tables and files out. No torch, no Qt."""
