"""Everything that one can do, menu by menu."""
