"""Models of rules: the rows that each of them tells of."""
