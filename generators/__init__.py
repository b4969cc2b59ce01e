"""Families, one file each, in a folder a category. A leading underscore means: not a family."""
