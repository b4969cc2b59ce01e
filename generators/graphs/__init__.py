"""Questions about graphs."""
