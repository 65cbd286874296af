"""Classes within a threshold of loss (Loukides and Shao, 2007)."""
