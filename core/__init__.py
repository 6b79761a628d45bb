"""Plans, runs, records and explains parallel training steps, without Qt."""
