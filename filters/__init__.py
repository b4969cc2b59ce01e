"""Filters: why a row is turned away, one reason a file. Rows are marked, never lost."""
