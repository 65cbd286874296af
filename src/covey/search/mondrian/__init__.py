"""Median partitioning (LeFevre et al., 2006)."""
