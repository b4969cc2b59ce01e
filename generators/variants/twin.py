"""Twin: the same problem with other numbers."""

from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

from puzzlemill.core.family import AnyFamily, Origin, Start, parts
from puzzlemill.core.variants import Operator, drawn_by


def vary(parent: AnyFamily, rng: Random, knobs: Any, start: Start) -> Any:
    assert parent.twin, f"{parent.name} gives no twin"
    other = parent.twin(rng, knobs, start.puzzle)
    return None if other == start.puzzle else other


def of(parent: AnyFamily) -> AnyFamily:
    how = partial(vary, parent)
    origin = Origin(parent, how, partial(parts, parent))
    return replace(parent, generate=drawn_by(parent, how), origin=origin, peers=(), version=1)


OPERATOR = Operator(of, lambda family: "" if family.twin else "gives no `twin`")
