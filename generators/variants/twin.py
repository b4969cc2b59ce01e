"""Twin: the same problem with other numbers."""

from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

from puzzlemill.core.family import AnyFamily, Origin, Start, parts
from puzzlemill.core.relatives import redrawn
from puzzlemill.core.variants import Operator, drawn_by


def vary(parent: AnyFamily, rng: Random, knobs: Any, start: Start) -> Any:
    if parent.twin is None:
        return redrawn(parent, rng, knobs, start)
    other = parent.twin(rng, knobs, start.puzzle)
    return None if other == start.puzzle else other


def of(parent: AnyFamily) -> AnyFamily:
    how = partial(vary, parent)
    origin = Origin(parent, how, partial(parts, parent))
    generate = drawn_by(parent, how)
    return replace(parent, generate=generate, origin=origin, peers=(), version=1, redraws=False)


OPERATOR = Operator(
    of, lambda family: "" if family.twin or family.redraws else "gives no `twin`", version=2
)
