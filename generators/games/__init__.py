"""Games: of cards, and for two the move that wins against every reply."""
