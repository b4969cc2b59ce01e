"""Small tasks of a few dozen tokens, which a tiny policy can learn."""
