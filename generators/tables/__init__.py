"""Tables to read, mend, join and compare."""
