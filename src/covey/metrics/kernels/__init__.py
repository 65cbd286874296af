"""Compiled loops of the measures: pure functions over arrays."""
