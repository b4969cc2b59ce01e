"""Algorithms to carry out by hand, and small optimisation problems."""
