"""Tables to read, join and compare."""
