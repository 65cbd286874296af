"""K-means in one pass, then adjusted (Lin and Wei, 2008)."""
