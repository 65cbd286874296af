"""Columns of a table: their types, domains and values as codes, what is missing in them, whose rows they tell."""
