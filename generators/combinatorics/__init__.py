"""Counting: arrangements, selections, strings, paths, recurrences."""
