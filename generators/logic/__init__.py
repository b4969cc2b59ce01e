"""Deduction from statements, facts and clues."""
