"""Evaluating a policy: choose items, ask, judge, and go on until its level is known."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from puzzlemill.core.errors import UserError
from puzzlemill.core.item import Item
from puzzlemill.core.rows import row_of
from puzzlemill.core.storage.files import alone_in
from puzzlemill.core.verdict import Verdict
from puzzlemill.difficulty.policies.loading import current_policy
from puzzlemill.difficulty.policies.policy import Policy, Reply, refusal
from puzzlemill.difficulty.prompt_styles import in_style
from puzzlemill.difficulty.scoring import Judge, judge_groups, judge_in_workers, question_of
from puzzlemill.pipelines.evaluation import build_test
from puzzlemill.pipelines.evaluation.games import play_games
from puzzlemill.pipelines.evaluation.journal import Journal, Line, opened
from puzzlemill.pipelines.evaluation.questions import asked_again, item_at
from puzzlemill.pipelines.evaluation.result import write_result
from puzzlemill.pipelines.evaluation.selection import (
    Cell,
    Scope,
    ability_of,
    batch_size,
    half_widths,
    scope_of,
    spread_cells,
    telling_cells,
)
from puzzlemill.pipelines.evaluation.settings import (
    Evaluation,
    as_record,
    chosen_families,
    chosen_games,
)

Tell = Callable[[str], None]
Row = dict[str, Any]
FIXED = 64  # items of a fixed test between two writes
DRAWS = 4  # items tried in a cell, where a family has few puzzles


@dataclass(frozen=True, slots=True)
class Asking:
    """A row that is asked, and what its answer counts for."""

    level: int  # its place among LEVELS
    way: str  # in which an item is asked again
    family: str
    row: Row


def evaluate(
    settings: Evaluation,
    folder: Path,
    policy: Policy | None = None,
    *,
    replace: bool = False,
    tell: Tell = lambda line: None,
    judge: Judge = judge_in_workers,
) -> dict[str, Any]:
    """Evaluate a policy into a folder, or go on where that was interrupted; the result."""
    games = chosen_games(settings)
    rows = build_test.rows_of(Path(settings.build), settings.families) if settings.build else []
    families = sorted({row["family"] for row in rows}) or chosen_families(settings)
    policy = policy or current_policy(settings.policy)
    with alone_in(folder, "an evaluation"):
        journal = opened(folder, as_record(settings), policy.id, settings.seed, replace)
        batches = (
            _build_batches(settings, rows, journal, policy, judge)
            if rows
            else _batches(settings, families, journal, policy, judge)
        )
        for progress in batches:
            tell(progress)
        play_games(settings, games, journal, policy, tell)
        return write_result(journal, settings, families)


def _build_batches(
    settings: Evaluation, rows: Sequence[Row], journal: Journal, policy: Policy, judge: Judge
) -> Iterator[str]:
    """Ask the rows of a build in their order; a line on each batch."""
    done = len(journal.batches())
    for start in range(done, len(rows), FIXED):
        asked = [
            Asking(build_test.level_of(row), "", row["family"], _styled(row, settings))
            for row in rows[start : start + FIXED]
        ]
        lines = ask_and_judge(settings, asked, policy, judge)
        number = start // FIXED
        journal.add([{"batch": number, "of": len(lines), **line} for line in lines])
        yield f"{start + len(lines):,} of {len(rows):,} rows asked"
    lines = journal.batches()
    if not any(line["replies"] for line in lines):
        raise UserError(f"{policy.id} takes no row of {settings.build}: {_first_reason(lines)}")


def _batches(
    settings: Evaluation,
    families: Sequence[str],
    journal: Journal,
    policy: Policy,
    judge: Judge,
) -> Iterator[str]:
    """Ask batch after batch until the level is known; a line on each."""
    lines, seed = journal.batches(), journal.seed
    while True:
        scope = scope_of(families, [line["family"] for line in lines if line["not_taken"]])
        if not scope.families:
            raise UserError(f"{policy.id} takes no item of these families: {_first_reason(lines)}")
        number = lines[-1]["batch"] + 1 if lines else 0
        if settings.items == "fixed":
            cells = _fixed(settings, scope_of(families), seed)[
                number * FIXED : (number + 1) * FIXED
            ]
            progress = f"{_asked_items(lines):,} items asked"
        else:
            rng = np.random.default_rng((seed, number))
            cells, progress = _chosen(settings, scope, lines, rng)
        if lines:
            yield progress
        if not cells:
            return
        items = _items(cells, lines, seed)
        if not items:
            if lines:
                return  # there are no further items: what was asked is evaluated
            raise UserError("these families have no items for tests at these levels; name others")
        asked = ask_and_judge(settings, [*_questions(settings, items)], policy, judge)
        journal.add([{"batch": number, "of": len(asked), **line} for line in asked])
        lines = journal.batches()


def _fixed(settings: Evaluation, scope: Scope, seed: int) -> list[Cell]:
    """All cells of a fixed test: the same for every policy, whatever it takes or says."""
    return spread_cells(scope, settings.most, np.random.default_rng((seed, 0)))


def fixed_items(settings: Evaluation, seed: int) -> list[Asking]:
    """What a fixed test asks, to ask it elsewhere."""
    cells = _fixed(settings, scope_of(chosen_families(settings)), seed)
    items: list[Asking] = []
    for start in range(0, len(cells), FIXED):
        lines = [{"family": each.family, "uid": each.row["uid"], "way": ""} for each in items]
        batch = _items(cells[start : start + FIXED], lines, seed)
        items += _questions(settings, batch)
    return items


def _asked_items(lines: Sequence[Line]) -> int:
    return sum(not line["way"] and not line["not_taken"] for line in lines)


def _chosen(
    settings: Evaluation, scope: Scope, lines: Sequence[Line], rng: np.random.Generator
) -> tuple[list[Cell], str]:
    """The cells of the next batch, none where enough is known; and how it stands."""
    asked = _asked_items(lines)
    left = settings.most - asked
    if not lines:
        return spread_cells(scope, min(batch_size(0), left), rng), ""
    ability = ability_of(scope, lines)
    widths = half_widths(ability, scope, settings.per)
    level = float(ability.of(scope.weights).mean())
    progress = (
        f"{asked:,} items of at most {settings.most:,}; level {level:.3f} ± {widths.max():.3f}"
    )
    if left <= 0 or widths.max() <= settings.within:
        return [], progress
    count = min(batch_size(asked), left)
    return telling_cells(scope, ability, settings.per, count, rng), progress


def _items(cells: Sequence[Cell], lines: Sequence[Line], seed: int) -> list[tuple[Item, int]]:
    """An item that was not asked before for each cell, with its place among the levels."""
    # Counted over all levels: some have the same knobs, and so the same items.
    drawn = Counter(line["family"] for line in lines if not line["way"])
    asked = {line["uid"] for line in lines}
    items = []
    for family, level in cells:
        for _ in range(DRAWS):
            item = item_at(family, level, index=drawn[family], seed=seed)
            drawn[family] += 1
            if item and item.uid not in asked:
                asked.add(item.uid)
                items.append((item, level))
                break
    return items


def _questions(settings: Evaluation, items: Sequence[tuple[Item, int]]) -> Iterator[Asking]:
    """Each item, and behind it the ways in which it is asked again."""
    for item, level in items:
        for way, each in [("", item), *asked_again(item, settings.again)]:
            # A variant stands with its parent's family.
            family = each.family.partition("+")[0] if way else each.family
            yield Asking(level, way, family, _styled(row_of(each), settings))


def _styled(row: Row, settings: Evaluation) -> Row:
    return in_style(row, settings.policy.style, settings.policy.system)


def ask_and_judge(
    settings: Evaluation, asked: Sequence[Asking], policy: Policy, judge: Judge
) -> list[dict[str, Any]]:
    """A line for each question, with the replies and what became of them."""
    questions = [question_of(each.row, f"evaluation {each.way}") for each in asked]
    reasons = [refusal(policy, question) for question in questions]
    taken = [place for place, reason in enumerate(reasons) if reason is None]
    replies = policy.sample([questions[place] for place in taken], settings.tries)
    verdicts = judge_groups([asked[place].row for place in taken], replies, judge)
    judged = dict(zip(taken, zip(replies, verdicts, strict=True), strict=True))
    lines = []
    for place, each in enumerate(asked):
        group = zip(*judged[place], strict=True) if place in judged else ()
        lines.append(
            {
                "family": each.family,
                "level": each.level,
                "way": each.way,
                "uid": each.row["uid"],
                "prompt": each.row["prompt"][-1]["content"],
                "not_taken": reasons[place] or "",
                "replies": [_reply(*both) for both in group],
            }
        )
    return lines


def _reply(reply: Reply, verdict: Verdict) -> Mapping[str, Any]:
    return {
        "status": verdict.status,
        "score": verdict.score,
        "reason": verdict.reason,
        "finished": reply.finished,
        "tokens": reply.token_count,
        "prompt_tokens": reply.prompt_tokens,
        "text": reply.text,
    }


def _first_reason(lines: Sequence[Line]) -> str:
    return next(str(line["not_taken"]) for line in lines if line["not_taken"])
