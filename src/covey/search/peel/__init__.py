"""Cheapest class first, over which columns may generalise (covey's own)."""
