"""Ways to make a variant of a family's item: `gcd+inverse` is the family of gcd's inverses."""
