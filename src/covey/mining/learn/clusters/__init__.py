"""Centres whose every span holds k people."""
