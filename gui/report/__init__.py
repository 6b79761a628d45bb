"""HTML reports: tables and pictures in one self-contained file."""
