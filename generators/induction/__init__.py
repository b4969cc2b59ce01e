"""Induction: finding the rule behind examples, and what it says of a case not seen."""
