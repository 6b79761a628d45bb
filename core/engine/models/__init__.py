"""Models as torch modules, cut into stages, with backward passes in one part or two."""
