"""A folder on the import path of jobs that `bubblescope record` runs; see sitecustomize.py."""
