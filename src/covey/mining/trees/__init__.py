"""Models of trees: how they are read, and which rows each of their leaves can hold."""
