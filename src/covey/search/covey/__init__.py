"""The default: the cheapest classes first, then better ones, then the best of all that were met (covey's own)."""
