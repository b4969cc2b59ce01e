"""NeMo-RL: the environment, as a Ray actor, and its registration."""

from collections.abc import Mapping, Sequence
from typing import Any

import ray
import torch
from nemo_rl.distributed.ray_actor_environment_registry import ACTOR_ENVIRONMENT_REGISTRY
from nemo_rl.distributed.virtual_cluster import PY_EXECUTABLES
from nemo_rl.environments.interfaces import EnvironmentInterface, EnvironmentReturn
from nemo_rl.environments.utils import ENV_REGISTRY, register_env

from puzzlemill.outputs.rewards import score_all

NAME = "puzzlemill"


@ray.remote
class PuzzlemillEnvironment(EnvironmentInterface):  # type: ignore[misc]
    def __init__(self, settings: Mapping[str, Any] | None = None) -> None:
        self.thinking = bool((settings or {}).get("thinking", False))

    def step(
        self,
        message_log_batch: Sequence[Sequence[Mapping[str, Any]]],
        metadata: Sequence[Mapping[str, Any]],
    ) -> EnvironmentReturn:
        """One turn a dialogue; the row's fields come as the ground truth."""
        labels = [each["ground_truth"] for each in metadata]
        verdicts = score_all(labels, [list(log) for log in message_log_batch], self.thinking)
        return EnvironmentReturn(
            observations=[{"role": "environment", "content": each["status"]} for each in verdicts],
            metadata=list(metadata),
            next_stop_strings=[None] * len(verdicts),
            rewards=torch.tensor([float(each["score"]) for each in verdicts]),
            terminateds=torch.ones(len(verdicts)),
            answers=None,
        )

    def global_post_process_and_metrics(self, batch: Any) -> tuple[Any, dict[str, float]]:
        """A reply that was cut off earns nothing, as in NeMo-RL's own environments."""
        batch["rewards"] = batch["rewards"] * batch["is_end"]
        return batch, {"accuracy": float((batch["rewards"] == 1).float().mean())}


def register() -> None:
    """Make the environment known to NeMo-RL, under the name that a config's `env` uses."""
    where = f"{__name__}.PuzzlemillEnvironment"
    ACTOR_ENVIRONMENT_REGISTRY[where] = PY_EXECUTABLES.SYSTEM
    if NAME not in ENV_REGISTRY:
        register_env(NAME, where)
