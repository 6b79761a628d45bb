"""SQL over runs: what they hold as tables, and questions about them by DuckDB."""
