"""Equations, functions, sequences, polynomials, complex numbers and matrices."""
