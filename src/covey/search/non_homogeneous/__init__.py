"""Windows of rings in place of classes (Wong et al., 2010)."""
