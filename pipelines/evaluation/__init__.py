"""Evaluation: the level of a policy over families, from few replies."""

from puzzlemill.pipelines.evaluation.run import evaluate
from puzzlemill.pipelines.evaluation.settings import Evaluation

__all__ = ["Evaluation", "evaluate"]
