"""Records a training script of somebody's own; imported as `bubblescope.recorder`."""
