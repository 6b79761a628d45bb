"""SQL over runs: their tables, and queries answered by DuckDB."""
