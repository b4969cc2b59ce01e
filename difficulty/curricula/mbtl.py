"""The teacher mbtl of difficulty/teachers, one for each family."""

from puzzlemill.difficulty.curricula._teacher import led_by

CURRICULUM = led_by(__name__)
