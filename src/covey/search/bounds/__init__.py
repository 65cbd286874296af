"""Lower bounds: what no partition into classes of k rows can lose less than."""
