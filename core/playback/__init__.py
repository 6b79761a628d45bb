"""Playback of a part of a run: the activity of each lane at a moment, and the frames of a film."""
