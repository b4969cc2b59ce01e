"""The teacher alp_gmm of difficulty/teachers, one for each family."""

from puzzlemill.difficulty.curricula._teacher import led_by

CURRICULUM = led_by(__name__)
