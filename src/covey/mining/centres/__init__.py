"""Models of centres: which rows are nearest to each of them, exactly."""
