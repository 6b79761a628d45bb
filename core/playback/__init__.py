"""A range of time of a run, played: activity of each lane at a moment, and the frames of a film."""
