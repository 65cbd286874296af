"""Classes grown row by row, each the one that adds least loss (Byun et al., 2007)."""
