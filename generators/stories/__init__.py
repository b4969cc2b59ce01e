"""Word problems: people, places, units, and one thing to find."""
