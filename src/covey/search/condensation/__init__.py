"""Each class grown from one row by its nearest neighbours (Aggarwal and Yu, 2004)."""
