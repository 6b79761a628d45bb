"""What a run comes to: summaries, the waterfall to the measured step, figures."""
