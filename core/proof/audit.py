"""The audit of a family: what is wrong with it, and how often its verifier errs."""

from dataclasses import dataclass
from itertools import islice

from puzzlemill.core.family import AnyFamily
from puzzlemill.core.guard import Failure, guarded
from puzzlemill.core.proof.contract import (
    LIGHT,
    RULES,
    Depth,
    Sample,
    guessed,
    guesses_at,
    sample,
)
from puzzlemill.core.proof.probes import Guesses, Probes, probe


@dataclass(frozen=True, slots=True)
class Audit:
    family: str
    version: int
    items: int = 0
    probes: Probes | None = None
    guesses: Guesses | None = None
    guess_rate: float = 0.0  # the declared one
    faults: tuple[str, ...] = ()


def audit(family: AnyFamily, depth: Depth = LIGHT) -> Audit:
    """Every rule of the contract, every battery of replies; no faults is what it takes to be in."""
    drawn = guarded(sample, family, depth)
    if isinstance(drawn, Failure):
        return Audit(family.name, family.version, faults=(f"cannot make items: {drawn.reason}",))
    faults = [
        f"{rule.__name__.replace('_', ' ')}: {result.reason.removeprefix('AssertionError: ')}"
        for rule in RULES
        if isinstance(result := guarded(rule, drawn), Failure)
    ]
    probes = guarded(probed, drawn)
    guessed = guarded(_guessed, family, depth)
    for failure in (probes, guessed):
        if isinstance(failure, Failure):
            faults.append(f"cannot be probed: {failure.reason}")
    if isinstance(probes, Probes):
        faults += probes.faults
    return Audit(
        family=family.name,
        version=family.version,
        items=sum(len(rung) for rung in drawn.rungs),
        probes=None if isinstance(probes, Failure) else probes,
        guesses=None if isinstance(guessed, Failure) else guessed,
        guess_rate=family.guess_rate,
        faults=tuple(faults),
    )


def probed(drawn: Sample) -> Probes:
    """The verifier's probes, on some items of every rung, or of the first and the last."""
    rungs = drawn.rungs if drawn.depth.every_rung else (drawn.rungs[0], drawn.rungs[-1])
    certified = [
        item
        for rung in rungs
        for item in islice((item for item in rung if item.certificate), drawn.depth.probed)
    ]
    return probe(drawn.family, certified, dealt=not drawn.depth.every_rung)


def _guessed(family: AnyFamily, depth: Depth) -> Guesses:
    """What guesses earn on the easiest rung, where they earn most."""
    return guesses_at(family, family.ladder[0], guessed(depth))
