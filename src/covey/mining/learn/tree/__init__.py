"""Trees whose every leaf holds k people, whatever is public."""
