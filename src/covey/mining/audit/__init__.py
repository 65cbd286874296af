"""Whom a trained model exposes: the question, the model as it is given, and what was found, in words."""
