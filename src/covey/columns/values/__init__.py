"""Values as text and in time: how they are written and parsed, the clock, thresholds between two."""
