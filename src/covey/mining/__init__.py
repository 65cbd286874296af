"""Models learned from people: whom a model exposes, and models that expose nobody (Friedman et al. 2008)."""
