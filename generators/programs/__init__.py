"""Programs: what a machine or a piece of code does, step by step."""
