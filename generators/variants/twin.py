"""Twin: the same problem with other numbers."""

from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

from puzzlemill.core.family import AnyFamily, Origin, Start, parts
from puzzlemill.core.variants import Operator, drawn_by


def of(parent: AnyFamily) -> AnyFamily:
    twin = parent.twin
    assert twin, f"{parent.name} gives no twin"

    def vary(rng: Random, knobs: Any, start: Start) -> Any:
        puzzle = start.puzzle
        other = twin(rng, knobs, puzzle)
        return None if other == puzzle else other

    origin = Origin(parent, vary, partial(parts, parent))
    return replace(parent, generate=drawn_by(parent, vary), origin=origin, peers=(), version=1)


OPERATOR = Operator(of, lambda family: "" if family.twin else "gives no `twin`")
