"""What is asked of a table: roles, declarations, the job, names of algorithms and models; no row is looked at."""
