"""Growing decision trees that expose nobody: for models, and for classes that keep a target."""
