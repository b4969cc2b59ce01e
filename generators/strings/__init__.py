"""Strings of letters: what rules make of them, what is in them, what can be made of them."""
