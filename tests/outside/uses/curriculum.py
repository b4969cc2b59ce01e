"""A curriculum that a recipe names."""

from puzzlemill.difficulty.curricula import CURRICULA, Pool

pool = Pool([("addition", 0.0)] * 3, [0.5] * 3)
places, state = CURRICULA.load("backwards").pick(pool, {}, 2, 0.0, None)
assert (places, state) == ([2, 1], {"taken": 2})
