"""Systematic clustering (Kabir et al., 2010), with its l-diverse step."""
