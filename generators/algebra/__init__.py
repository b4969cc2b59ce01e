"""Equations."""
