"""One of each part that another package may add to Puzzlemill."""
