"""open-instruct: the verifier of rows whose `dataset` is "puzzlemill".

open-instruct takes every subclass of VerifierFunction that was defined before it builds its own, so
importing this module before its main program plugs it in.
"""

from typing import Any

from open_instruct.ground_truth_utils import VerificationResult, VerifierFunction

from puzzlemill.outputs.rewards import score


class PuzzlemillVerifier(VerifierFunction):  # type: ignore[misc]
    def __init__(self, verifier_config: Any = None) -> None:
        super().__init__("puzzlemill", weight=1.0, verifier_config=verifier_config)

    def __call__(
        self,
        tokenized_prediction: list[int],
        prediction: str,
        label: str,
        query: str | None = None,
        rollout_state: Any = None,
    ) -> VerificationResult:
        thinking = (query or "").rstrip().endswith("<think>")  # opened by the chat template
        return VerificationResult(score=score(label, prediction, thinking)["score"])
