"""Compiled loops of the mining: arrays in, arrays out."""
