"""Boards to fill or shade by rules."""
