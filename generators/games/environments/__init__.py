"""Games that are played turn by turn: one file a game, found by where it lies."""
