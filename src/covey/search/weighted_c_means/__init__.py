"""Weighted feature C-means (Chiu and Tsai, 2007)."""
