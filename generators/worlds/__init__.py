"""Worlds: the rules themselves are drawn, and told or shown by the item."""
