"""Puzzles with numbers and digits."""
