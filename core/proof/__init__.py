"""Proof: what every family is held to, and what tries to break its verifier."""
