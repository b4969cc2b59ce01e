"""The result of an evaluation, from its lines alone."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import comb
from operator import mul
from typing import Any

import numpy as np

from puzzlemill.core import registry
from puzzlemill.core.address import digest
from puzzlemill.core.storage.files import write_json
from puzzlemill.difficulty.ability import DRAWS, LEVELS, Floats
from puzzlemill.pipelines.evaluation.journal import RESULT, Journal, Line
from puzzlemill.pipelines.evaluation.selection import Scope, ability_of, scope_of
from puzzlemill.pipelines.evaluation.settings import Evaluation

SAMPLES = 12  # replies that are shown
LONGEST = 4000  # characters of a prompt or reply that is shown
# How a reply without an answer begins where a policy declines.
_REFUSAL = re.compile(
    r"\b(i(?:'m| am) (?:sorry|unable|not able)|i (?:can(?:no|')t|won't|will not) (?:help|assist|"
    r"answer|solve|provide|comply)|as an ai\b)",
    re.IGNORECASE,
)
Level = dict[str, float]


def write_result(journal: Journal, settings: Evaluation, families: Sequence[str]) -> dict[str, Any]:
    result = result_of(journal, settings, families)
    write_json(journal.folder / RESULT, result)
    return result


def result_of(journal: Journal, settings: Evaluation, families: Sequence[str]) -> dict[str, Any]:
    lines, begun = journal.batches(), journal.settings
    not_taken = {line["family"]: line["not_taken"] for line in lines if line["not_taken"]}
    scope = scope_of(families, tuple(not_taken))
    items = [line for line in lines if not line["way"] and line["family"] not in not_taken]
    ability = ability_of(scope, items, DRAWS)
    by_level = np.tensordot(ability.rates, scope.weights, (1, 0))
    shares = scope.targets("category")
    names = list(dict.fromkeys(scope.categories))
    return {
        "policy": begun["policy"],
        "seed": begun["seed"],
        "public": begun["public"] or bool(settings.build),
        "test": "build" if settings.build else begun["items"],
        "items": _items_digest(lines) if settings.build or begun["items"] == "fixed" else "",
        "families_asked_for": list(settings.families),
        "versions": {name: registry.family(name).version for name in scope.families},
        "level": interval(ability.of(scope.weights)),
        "by_difficulty": [
            {"level": _short(level), **interval(drawn)}
            for level, drawn in zip(LEVELS, by_level.T, strict=True)
        ],
        "categories": {
            name: interval(ability.of(weights)) | _counts(scope, name, items)
            for name, weights in zip(names, shares, strict=True)
        },
        "families": _families(scope, ability.rates, items),
        "not_taken": not_taken,
        "replies": _totals(items, settings.prices),
        "pass_at": pass_at(items, settings.tries),
        "again": {way: _agreement(lines, way) for way in settings.again},
        "games": journal.games(),
        "samples": _samples(items),
    }


def _items_digest(lines: Sequence[Line]) -> str:
    """The same for all that were asked the same items, in whatever order."""
    return digest(" ".join(sorted(line["uid"] for line in lines if not line["way"])))


def interval(drawn: Floats) -> Level:
    """The mean and the 90% interval."""
    low, high = np.quantile(drawn, (0.05, 0.95))
    return {"mean": _short(drawn.mean()), "low": _short(low), "high": _short(high)}


def pass_at(items: Sequence[Line], tries: int) -> dict[str, float]:
    """The share of the asked items with a right reply among k, without bias: 1 - C(n-c, k)/C(n, k)
    (Chen et al. 2021)."""
    groups = [line["replies"] for line in items if len(line["replies"]) == tries]
    counts = [sum(reply["status"] == "correct" for reply in group) for group in groups]
    ks = [k for k in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024) if k <= tries]
    return {
        str(k): _short(np.mean([1 - comb(tries - count, k) / comb(tries, k) for count in counts]))
        for k in ks
        if counts
    }


def _families(scope: Scope, rates: Floats, items: Sequence[Line]) -> dict[str, Any]:
    asked = Counter(line["family"] for line in items)
    right = Counter(line["family"] for line in items for _ in range(_right(line)))
    return {
        name: {
            "category": category,
            **interval(rates[:, place].mean(1)),
            "items": asked[name],
            "right": right[name],
        }
        for place, (name, category) in enumerate(zip(scope.families, scope.categories, strict=True))
    }


def _counts(scope: Scope, category: str, items: Sequence[Line]) -> dict[str, int]:
    own = {name for name, its in zip(scope.families, scope.categories) if its == category}
    asked = [line for line in items if line["family"] in own]
    return {"families": len(own), "items": len(asked), "right": sum(map(_right, asked))}


def _right(line: Line) -> int:
    """1 where more than half of the replies to the item are right."""
    right = sum(reply["status"] == "correct" for reply in line["replies"])
    return int(2 * right > len(line["replies"]))


def _totals(items: Sequence[Line], prices: tuple[float, float]) -> dict[str, Any]:
    """What became of the replies. Wrong ones are told apart from those without an answer."""
    replies = [reply for line in items for reply in line["replies"]]
    fates = Counter(map(fate_of, replies))
    names = ("correct", "partial", "wrong", "cut off", "refused", "unparsed", "error")
    return {
        "items": len(items),
        "replies": len(replies),
        **{name.replace(" ", "_"): fates[name] for name in names},
        "tokens": sum(reply["tokens"] for reply in replies),
        "prompt_tokens": sum(reply["prompt_tokens"] for reply in replies),
        "dollars": cost(replies, prices),
    }


def cost(replies: Sequence[Mapping[str, Any]], prices: tuple[float, float]) -> float | None:
    """In dollars, by prices for a million tokens of prompts and of replies; None where there is no
    price, or a reply whose tokens nobody counted."""
    if not any(prices) or any(reply["text"] and not reply["tokens"] for reply in replies):
        return None
    counts = [sum(reply[name] for reply in replies) for name in ("prompt_tokens", "tokens")]
    return _short(sum(map(mul, counts, prices)) / 1e6)


def fate_of(reply: Mapping[str, Any]) -> str:
    """The status of a reply; of one without an answer, why it has none."""
    if reply["status"] != "unparsed":
        return str(reply["status"])
    if not reply["finished"]:
        return "cut off"
    return "refused" if _REFUSAL.search(reply["text"][-2000:]) else "unparsed"


def _agreement(lines: Sequence[Line], way: str) -> dict[str, Any]:
    """How often an item and the same asked in another way are both right or both wrong; beside it
    how often they would be by chance, given how often each is right."""
    pairs = list(_pairs(lines, way))
    count = max(len(pairs), 1)
    one, other = (sum(pair[side] for pair in pairs) / count for side in (0, 1))
    return {
        "pairs": len(pairs),
        "right": _short(one),
        "right_again": _short(other),
        "both": sum(first and second for first, second in pairs),
        "only_first": sum(first and not second for first, second in pairs),
        "only_again": sum(second and not first for first, second in pairs),
        "agreement": _short(sum(first == second for first, second in pairs) / count),
        "by_chance": _short(one * other + (1 - one) * (1 - other)),
    }


def _pairs(lines: Sequence[Line], way: str) -> Iterable[tuple[bool, bool]]:
    """The outcomes of an item and of its line behind it that asks again."""
    item: Line | None = None
    for line in lines:
        if not line["way"]:
            item = line
        elif line["way"] == way and item and item["replies"] and line["replies"]:
            yield bool(_right(item)), bool(_right(line))


def _samples(items: Sequence[Line]) -> list[dict[str, Any]]:
    """Some replies, right and wrong in turn, of as many families as there are."""
    by_outcome: dict[bool, list[Line]] = {True: [], False: []}
    seen = set()
    for line in items:
        outcome = bool(_right(line))
        if line["replies"] and (outcome, line["family"]) not in seen:
            seen.add((outcome, line["family"]))
            by_outcome[outcome].append(line)
    chosen = [each for outcome in (True, False) for each in by_outcome[outcome][: SAMPLES // 2]]
    return [
        {
            "family": line["family"],
            "level": _short(LEVELS[line["level"]]),
            "uid": line["uid"],
            "status": fate_of(line["replies"][0]),
            "prompt": line["prompt"][:LONGEST],
            "reply": line["replies"][0]["text"][:LONGEST],
        }
        for line in chosen
    ]


def _short(value: Any) -> float:
    return round(float(value), 4)
