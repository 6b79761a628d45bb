"""What the tasks of a plan do: lanes walk through the plan, operations work on the model."""
