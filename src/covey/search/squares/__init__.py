"""Classes around their means: the sum of squared distances as what is to be least (microaggregation)."""
