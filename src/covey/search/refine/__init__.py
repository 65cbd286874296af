"""Better classes from those of another search: rows move, classes dissolve, neighbours are made anew (covey's own)."""
