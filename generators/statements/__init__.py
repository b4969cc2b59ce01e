"""Is it true? And where it is not: a counterexample."""
