"""Privacy models, and the levels that a published table reaches."""
