"""Exports: a finished build's rows in a trainer's own format, with the reward it plugs in.

A file here is an export, and its name is the name that `puzzlemill export --to` takes.
"""
