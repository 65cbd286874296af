"""The best of all classes that a search met: an integer program over them, in turn with more search (covey's own)."""
