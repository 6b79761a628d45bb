"""What each device did in a step: times, batch split, gradient buckets."""
