"""The columns of both tables as the verifier sees them: codes, quasi columns, originals, cells, missing values."""
