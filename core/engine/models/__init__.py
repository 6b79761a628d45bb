"""Models as torch modules, cut into stages, and backward passes in one or two parts."""
