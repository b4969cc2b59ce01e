"""A shaping that a recipe names beside those that its keys set."""

import torch

from puzzlemill.pipelines.recipe import recipe_from
from puzzlemill.trainer.shapings import Groups, rewards

recipe = recipe_from(
    {"name": "x", "parent": "y", "train": {"reward": {"also": ["doubled"], "paid_wrong": 0.2}}}
)
scores_PG = torch.tensor([[1.0, 0.0]])
paid_PG = rewards(Groups((), (), scores_PG, recipe.items, 8, 1)).replies_PG
torch.testing.assert_close(paid_PG, torch.tensor([[2.0, -0.5]]))
