"""The verifier's own readers of values: numbers, dates, labels, released cells, types and trees.

Nothing here is used by what makes releases, and nothing here uses it: the maker writes and reads by its own code, and
tests hold both against each other.
"""
