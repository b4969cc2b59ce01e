"""Space: folded, rolled and turned things, maps, and what lies where."""
