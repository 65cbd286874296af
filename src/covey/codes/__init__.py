"""The table as integers that every search works on, and the price of what a class generalises."""
