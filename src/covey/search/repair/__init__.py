"""From the classes of any algorithm to classes that satisfy what was asked."""
