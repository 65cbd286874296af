"""The best full-domain recoding of a whole table (Samarati, 2001; Bayardo and Agrawal, 2005)."""
