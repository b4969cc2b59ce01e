"""The teacher gp of difficulty/teachers, one for each family."""

from puzzlemill.difficulty.curricula._taught import taught

CURRICULUM = taught("gp")
