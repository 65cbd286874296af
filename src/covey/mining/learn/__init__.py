"""Models that expose nobody."""
