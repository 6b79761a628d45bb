"""Runs plans on virtual lanes: tasks run one at a time, and every lane has a virtual clock."""
