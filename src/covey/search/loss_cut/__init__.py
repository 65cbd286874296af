"""Cuts where the loss falls most, then moves."""
