"""The teacher alp_gmm of difficulty/teachers, one for each family."""

from puzzlemill.difficulty.curricula._taught import taught

CURRICULUM = taught("alp_gmm")
