"""The words of the house: families, puzzles, addresses, items, answers, verdicts, rows."""
