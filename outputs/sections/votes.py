"""Votes: the answer that most replies give beside gold, where the build keeps its replies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from puzzlemill.difficulty.votes import answer_given, majority
from puzzlemill.outputs.finished_build import FinishedBuild, rows_at
from puzzlemill.outputs.reply_files import reply_batches, reply_shards
from puzzlemill.outputs.sections import Section

ITEMS = 2000  # that are looked at, about, spread over all there are
BATCH = 200  # of which the replies are read at once
LEAST = 3  # replies, below which there is no majority to speak of
STRONG = 0.75  # share of the replies: a majority that is wrong is then worth a look at gold
SHOWN = 10


@dataclass(frozen=True, slots=True)
class Poll:
    """How an item's replies voted."""

    uid: str
    family: str
    share: float  # of the majority: the pass rate, if the pseudo-label were gold
    passed: float  # the pass rate by gold
    right: bool  # whether the majority's answer is


def votes(build: FinishedBuild) -> dict[str, Any] | None:
    shards = reply_shards(build.folder, build.manifest)
    if shards is None:
        return None
    replies: dict[str, list[dict[str, Any]]] = {}
    for path in (path for paths in shards.rounds for path in paths):
        for row in (row for batch in reply_batches(path, BATCH) for row in batch):
            replies.setdefault(row["uid"], []).extend(row["replies"] or ())
    asked = [row for row in build.scored if len(replies.get(row["uid"], ())) >= LEAST]
    asked = asked[:: len(asked) // ITEMS + 1]
    rows = rows_at([row["at"] for row in asked], ["uid", "family", "puzzle"])
    polls = [poll for row in rows if (poll := _poll(row, replies[row["uid"]]))]
    return audit(polls) if polls else None


def audit(polls: Sequence[Poll]) -> dict[str, Any]:
    """How well votes do as labels (MM-UPT), and which strong majorities gold contradicts."""
    doubted = [poll for poll in polls if poll.share >= STRONG and not poll.right]
    doubted.sort(key=lambda poll: (-poll.share, poll.uid))
    return {
        "items": len(polls),
        "right": fmean(poll.right for poll in polls),
        "off": fmean(abs(poll.share - poll.passed) for poll in polls),
        "strong": STRONG,
        "doubted": len(doubted),
        "shown": doubted[:SHOWN],
    }


def _poll(row: Mapping[str, Any], replies: Sequence[Mapping[str, Any]]) -> Poll | None:
    """The vote on an item; None where no reply has an answer."""
    given = [answer_given(row, reply["text"]) for reply in replies]
    vote = majority(given)
    if vote is None:
        return None
    right = [reply["status"] == "correct" for reply in replies]
    won = right[given.index(vote.answer)]
    return Poll(row["uid"], row["family"], vote.share, fmean(right), won)


TEMPLATE = """\
  <p class="lede">The answer that most replies give is a label that needs no gold. On {{ items | \
number }} item{{ "" if items == 1 else "s" }} it is right {{ right | percent }} of the time, and \
the share of replies that agree with it lies {{ off | percent }} off the pass rate, on average.</p>
  {% if doubted %}
  <p class="lede">On {{ doubted | number }} of them {{ strong | percent }} of the replies or more \
agree on an answer that the verifier calls wrong. Either the policy shares a misconception, or \
gold is worth a look:</p>
  <ul>{% for poll in shown %}<li>{{ poll.uid }}: {{ poll.share | percent }} agree</li>{% endfor %}\
</ul>
  {% endif %}
"""

SECTION = Section(75, "What most replies say", TEMPLATE, "Votes", of_build=votes)
