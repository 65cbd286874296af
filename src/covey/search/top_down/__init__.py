"""Top-down specialisation (Fung et al., 2005)."""
