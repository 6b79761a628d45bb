"""Reports: a page of tables and pictures that is one file and needs nothing else."""
