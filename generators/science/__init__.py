"""Physics, chemistry and biology: a law, the numbers, and one quantity to find."""
