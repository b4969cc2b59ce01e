"""The lines of a reply, which are its steps, and the tokens that end them."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from puzzlemill.core.progress import lines_of
from puzzlemill.difficulty.policies.policy import IMAGE, Reply
from puzzlemill.difficulty.policies.tokens import Tokens
from puzzlemill.trainer.conversations import Conversation

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LinedReply:
    """A reply to a row, and where its lines end."""

    row: Row
    place: tuple[int, int]  # of its group, and in it
    reply: Reply
    score: float
    start: float  # the mean score of its group
    ends: tuple[int, ...]  # in characters; the last is the end of the reply

    @property
    def prefixes(self) -> list[str]:
        """The reply up to the end of each line but the last."""
        return [self.reply.text[:end] for end in self.ends[:-1]]


def lined_replies(
    rows: Sequence[Row], groups: Sequence[Sequence[Conversation]], most: int = 0
) -> list[LinedReply]:
    """The last reply of each conversation, without those that say nothing; of more lines than so
    many, only those that divide it into as many parts."""
    found = []
    for place, (row, group) in enumerate(zip(rows, groups, strict=True)):
        start = sum(each.verdict.score for each in group) / max(len(group), 1)
        for at, each in enumerate(group):
            if ends := _ends(each.last):
                score = each.verdict.score
                place_in = (place, at)
                found.append(LinedReply(row, place_in, each.last, score, start, parted(ends, most)))
    return found


def parted(ends: tuple[int, ...], most: int) -> tuple[int, ...]:
    """So many of them, the last one included, as far from each other as can be; 0: all."""
    if not most or len(ends) <= most:
        return ends
    return tuple(ends[len(ends) * part // most - 1] for part in range(1, most + 1))


def token_ends(tokens: Tokens, reply: Reply, ends: Sequence[int]) -> list[int]:
    """How many tokens it takes to say a reply up to each place; all of them up to its end."""
    counts = range(len(reply.tokens) + 1)

    def said(count: int) -> int:
        return len(tokens.text(reply.tokens[:count]))

    found = [bisect_left(counts, end, key=said) for end in ends[:-1]]
    # A part of a character may be longer than the whole: no line ends before the one above it.
    return [*accumulate((min(each, len(reply.tokens)) for each in found), max), len(reply.tokens)]


def _ends(reply: Reply) -> tuple[int, ...]:
    """None where nothing is said in tokens; a mark of a picture would be taken for a picture."""
    if not reply.tokens or IMAGE in reply.text:
        return ()
    ends = [end for end, _ in lines_of(reply.text)]
    return (*ends[:-1], len(reply.text)) if ends else ()


def share_valued(groups: Sequence[Sequence[Conversation]]) -> dict[str, float]:
    """The share of conversations whose steps have values, by name."""
    valued = [bool(each.values) for group in groups for each in group]
    return {"valued": sum(valued) / max(len(valued), 1)}
