"""What every room uses: errors, rules for parameters, words of messages, names of array types."""
