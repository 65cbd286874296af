"""What a release says against what its original says: row by row, by an assignment of rows, or recomputed."""
