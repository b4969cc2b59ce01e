"""Instructions: write something that keeps a list of rules, each of which can be checked."""
