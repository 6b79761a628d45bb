"""Records training scripts; users import it as `bubblescope.recorder`."""
