"""Details of the selected span, gap or range."""
