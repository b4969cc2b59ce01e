"""Policies: models whose pass rate is measured, behind one protocol."""
