"""Maximum distance to the average vector: microaggregation (Domingo-Ferrer and Torra, 2005)."""
