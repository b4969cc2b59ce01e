"""What looks alone give away of a variant's answers, where that is more than chance.

`make giveaways` measures it on fresh items, by a reader that has learned from others, and keeps it
in guess_rates.json; a variant declares it as its guess rate.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from puzzlemill.core.family import AnyFamily

FILE = Path(__file__).with_name("guess_rates.json")


def declared(operator: str, parent: AnyFamily) -> float:
    """A variant's guess rate: the measured one, if that is higher than chance has it."""
    name = f"{parent.name}+{operator}"
    return max(by_chance(operator, parent), measured().get(name, 0.0))


def by_chance(operator: str, parent: AnyFamily) -> float:
    """How often one is right who takes any option, or says the same to all claims: common answers
    are oftener right."""
    share, more = {"options": (0.25, 1.0), "claim": (0.5, 0.5)}[operator]
    return share + more * parent.guess_rate**2


@cache
def measured() -> Mapping[str, float]:
    rates: dict[str, float] = json.loads(FILE.read_text())
    return rates
