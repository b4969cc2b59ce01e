"""Algebraic expressions: reading, writing and comparing them without evaluating any text."""
