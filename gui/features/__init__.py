"""Parts of the window: one feature, one folder."""
