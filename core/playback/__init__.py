"""A range of time of a run, played: what each lane does at a moment, and the frames of a film."""
