"""The path from a table to a verified release."""
