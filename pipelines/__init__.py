"""Composition in plain Python: plan, build, rescore, regenerate. No Prefect here."""

from puzzlemill.pipelines.build import build, ready_to_train
from puzzlemill.pipelines.regenerate import regenerate
from puzzlemill.pipelines.rescore import rescore

__all__ = ["build", "ready_to_train", "regenerate", "rescore"]
