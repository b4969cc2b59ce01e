"""Families of another package."""
