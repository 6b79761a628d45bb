"""The selected span, gap or range in words."""
