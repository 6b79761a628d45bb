"""Plans: tasks on lanes, and the tasks that each of them waits for. Without torch."""
