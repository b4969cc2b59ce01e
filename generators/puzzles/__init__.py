"""Logic and number puzzles."""
