"""Plans, runs, records and explains parallel training steps. No Qt anywhere below here."""
