"""A shaping that is named beside those of the recipe."""

import torch

from puzzlemill.trainer.settings import Train
from puzzlemill.trainer.shapings import Groups, rewards

scores_PG = torch.tensor([[1.0, 0.0]])
paid_PG = rewards(Groups((), (), scores_PG, Train(), 8, 1), also=["doubled"])
assert paid_PG.tolist() == [[2.0, 0.0]]
