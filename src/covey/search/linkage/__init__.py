"""Agglomerative clustering until every class has k rows (Chiu and Tsai, 2007)."""
