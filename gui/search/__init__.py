"""Finding spans and bookmarks, and keeping bar, table, timeline and overview in step."""
