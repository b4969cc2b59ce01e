"""Chance: dice, coins, urns, cards, expectation, chains."""
