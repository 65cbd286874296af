"""Compiled loops: arrays in, arrays out; nothing here knows of names, files or frames."""
