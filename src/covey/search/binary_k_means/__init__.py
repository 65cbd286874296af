"""Halves of halves around two centres (He et al., 2012)."""
