"""Makes the measurements that a check of the machine judges (core.check)."""
