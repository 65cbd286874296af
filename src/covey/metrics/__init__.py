"""What a release costs: numbers with a name, a range and a direction."""
