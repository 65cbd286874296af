"""The spans of a k-anonymous tree as classes (Friedman et al., 2008)."""
