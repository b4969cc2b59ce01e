"""Whole numbers: divisors, primes, remainders, digits."""
