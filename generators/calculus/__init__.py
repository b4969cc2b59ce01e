"""Derivatives, integrals, limits, series and small differential equations."""
