"""Compiled loops of several algorithms: arrays in, arrays out; nothing here knows of names, files or frames."""
