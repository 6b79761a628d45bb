"""Runs that follow a plan exactly: a lane for each row of the plan, timed task by task."""
