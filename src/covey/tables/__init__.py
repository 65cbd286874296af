"""Tables in and out: frames of pandas, polars and Arrow, files of every kind, and rows without what lay beside them."""
