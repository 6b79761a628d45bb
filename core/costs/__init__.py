"""What the tasks of a plan cost, and when they would run on these costs. Imports no torch."""
