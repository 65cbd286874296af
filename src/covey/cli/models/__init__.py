"""Commands that audit trained models, and that learn models which expose nobody."""
