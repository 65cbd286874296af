"""CSV: how a file is written and read back, cell by cell as text."""
