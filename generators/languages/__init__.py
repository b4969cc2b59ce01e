"""Formal languages: automata, brackets, grammars, regular expressions, and terms reduced."""
