"""Assignments: who is what, which value each unknown has."""

import re
from dataclasses import dataclass
from random import Random

from puzzlemill.core.answers.form import plain

MOST = 1000  # pairs

Pairs = tuple[tuple[str, str], ...]

_PAIR = re.compile(r"([\w' -]{1,60}?)\s*(?:=|:|->|→|\bis(?:\s+an?)?\b)\s*([\w' /.+-]{1,60})")


@dataclass(frozen=True, slots=True)
class Mapping:
    """Name = value pairs in any order, by comma or line; JSON objects too. Lower case, sorted."""

    form: str = "one name = value pair a line"

    def read(self, text: str) -> Pairs | None:
        text = re.sub(r"[\"'`*{}\[\]]|\\[{}]", "", plain(text))
        parts = [part for part in re.split(r"[,;\n]|\s+and\s+", text) if part.strip(" .-")]
        if not parts or len(parts) > MOST:
            return None
        pairs: dict[str, str] = {}
        for part in parts:
            found = _PAIR.fullmatch(part.strip(" .\t-•"))
            if not found:
                return None
            name, value = found[1].strip().lower(), found[2].strip().lower()
            if pairs.setdefault(name, value) != value:
                return None  # said twice, differently
        return tuple(sorted(pairs.items()))

    def write(self, answer: Pairs) -> str:
        return "\n".join(f"{name} = {value}" for name, value in answer)

    def near(self, answer: Pairs, rng: Random) -> Pairs:
        place = rng.randrange(len(answer))
        values = sorted({value for _, value in answer} - {answer[place][1]})
        changed = dict(answer)
        if values and rng.random() < 0.7:
            changed[answer[place][0]] = rng.choice(values)
        else:
            del changed[answer[place][0]]
        return tuple(sorted(changed.items()))

    def guess(self, answer: Pairs, rng: Random) -> Pairs:
        values = sorted({value for _, value in answer})
        return tuple((name, rng.choice(values)) for name, _ in answer)
