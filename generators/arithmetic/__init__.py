"""Calculating, and stories that ask for it."""
