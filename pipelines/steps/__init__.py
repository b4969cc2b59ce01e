"""The steps of a build in their order, each a value in a file of its own."""

import json
from functools import lru_cache
from pathlib import Path

from puzzlemill.filters.contaminated import Sums, sums_of
from puzzlemill.outputs.manifest import MANIFEST
from puzzlemill.pipelines.folder import POLICY_FILE, Build, Step
from puzzlemill.pipelines.policy_note import POLICY
from puzzlemill.pipelines.recipe import Recipe, recipe_of
from puzzlemill.pipelines.steps.adopt import ADOPT
from puzzlemill.pipelines.steps.answer_gain import ANSWER_GAIN
from puzzlemill.pipelines.steps.ask import ROUNDS
from puzzlemill.pipelines.steps.certify import CERTIFY
from puzzlemill.pipelines.steps.cheap_signal import SIGNAL
from puzzlemill.pipelines.steps.decontaminate import DECONTAMINATE
from puzzlemill.pipelines.steps.dedupe import DEDUPE
from puzzlemill.pipelines.steps.generate import GENERATE
from puzzlemill.pipelines.steps.guess import GUESS
from puzzlemill.pipelines.steps.hint import HINT
from puzzlemill.pipelines.steps.pair import PAIR
from puzzlemill.pipelines.steps.rejudge import REJUDGE
from puzzlemill.pipelines.steps.score import SCORE
from puzzlemill.pipelines.steps.score_without_policy import SCORE_WITHOUT_POLICY
from puzzlemill.pipelines.steps.screen import SCREEN
from puzzlemill.pipelines.steps.search import SEARCH
from puzzlemill.pipelines.steps.sieve import SIEVE

ORDER: tuple[Step, ...] = (
    GENERATE,
    ADOPT,
    CERTIFY,
    SCREEN,
    DECONTAMINATE,
    DEDUPE,
    SIGNAL,
    *ROUNDS,
    REJUDGE,
    SCORE,
    SCORE_WITHOUT_POLICY,
    PAIR,
    SIEVE,
    GUESS,
    HINT,
    ANSWER_GAIN,
    SEARCH,
)

_ASKING = {POLICY, *(step.name for step in ORDER if step.asks)}


def steps_of(recipe: Recipe) -> tuple[Step, ...]:
    return tuple(step for step in ORDER if step.wanted(recipe))


def asks(name: str) -> bool:
    """Whether a step needs the policy, or its model, loaded: only so many go at once as there are
    replicas of it."""
    return name in _ASKING


def build_of(folder: Path, recipe: Recipe, evaluations: Sums = ()) -> Build:
    return Build(folder, recipe, steps_of(recipe), evaluations)


def build_at(folder: Path) -> Build:
    """The build that a folder's recipe.json describes."""
    text = (folder / "recipe.json").read_text()
    against, parent = _asked(text)
    manifest = Path(parent, MANIFEST) if parent else None
    made = manifest.stat().st_mtime_ns if manifest and manifest.is_file() else 0
    note = folder / POLICY_FILE
    policy = note.read_text() if note.is_file() else ""
    # Any of these may have changed meanwhile.
    return _build_of(folder, text, sums_of(against), made, policy)


@lru_cache(maxsize=4)
def _asked(recipe: str) -> tuple[tuple[str, ...], str]:
    """What a recipe names that may change while it does not. It may be long, and each task asks."""
    asked = json.loads(recipe)
    return tuple(asked.get("decontaminate", {}).get("against", ())), asked.get("parent") or ""


@lru_cache(maxsize=4)
def _build_of(folder: Path, recipe: str, evaluations: Sums, parent_made: int, policy: str) -> Build:
    return build_of(folder, recipe_of(folder), evaluations)
