"""What a recipe takes: minutes, replies, tokens and bytes, from a timed sample of its items."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from puzzlemill.core.guard import Failure
from puzzlemill.core.item import Item
from puzzlemill.core.rows import row_of, table_of
from puzzlemill.core.storage import pool
from puzzlemill.core.storage.parquet import size_of
from puzzlemill.difficulty.policies.kinds import kind_of
from puzzlemill.pipelines.plan import Run, runs
from puzzlemill.pipelines.recipe import Recipe
from puzzlemill.pipelines.sample import MADE

CELLS = 200  # settings of families that are sampled
ITEMS = 4  # of each
SECONDS = 20.0  # that one setting may take
START = 3.5  # CPU seconds of a build without items
FOLDER = 70_000  # bytes of a dataset without items: its card and the heads of its files
PROBING = 0.125  # of probing a family's verifier on an item: the mean over 24 families
SIGNS = 4  # of a prompt that make a token, about


@dataclass(frozen=True, slots=True)
class Estimate:
    items: int
    sampled: int  # items that were made for it
    cores: int
    cpu_seconds: float  # of making, proving and probing; asking the policy is not in it
    dataset_bytes: int
    replies_most: int  # to all items together
    tokens_most: int  # of these replies
    prompt_tokens_most: int  # read for them

    @property
    def minutes(self) -> float:
        return self.cpu_seconds / self.cores / 60

    @property
    def text(self) -> str:
        lines = [
            f"estimated from {self.sampled:,} items:",
            f"  {_time(self.minutes)} on {self.cores} cores to make and prove the items"
            f" ({self.cpu_seconds:,.0f} CPU seconds)",
            f"  {_size(self.dataset_bytes)} of dataset",
        ]
        if self.replies_most:
            lines.append(
                f"  at most {self.replies_most:,} replies: {self.tokens_most:,} tokens sampled,"
                f" {self.prompt_tokens_most:,} tokens of prompts read; their time is the policy's"
            )
        return "\n".join(lines) + "\n"


def estimate(recipe: Recipe) -> Estimate | None:
    """None where a recipe makes no items, or none of its sample could be made."""
    cells = list(runs(recipe))
    samples = dict(_samples(cells))
    if not samples:
        return None
    items = [item for some, _ in samples.values() for item in some]
    usual = fmean(seconds for _, seconds in samples.values())
    count = sum(cell.count for cell in cells)
    making = sum(
        cell.count * (samples[number][1] if number in samples else usual)
        for number, cell in enumerate(cells)
    )
    families = len({cell.family for cell in cells})
    policy, score = recipe.policy, recipe.score
    replies = 0
    if kind_of(policy).samples and score.rounds:
        replies = count * (score.most + score.probe)
    prompt_tokens = fmean(len(item.prompt) for item in items) / SIGNS
    return Estimate(
        items=count,
        sampled=len(items),
        cores=pool.cores(),
        cpu_seconds=START + making + PROBING * families * recipe.verifier_probes,
        dataset_bytes=FOLDER + round(count * _bytes_of(items)),
        replies_most=replies,
        tokens_most=replies * policy.max_tokens,
        prompt_tokens_most=round(replies * prompt_tokens),
    )


def _samples(cells: Sequence[Run]) -> list[tuple[int, tuple[list[Item], float]]]:
    """By the number of a cell: some items, and the CPU seconds of one."""
    step = max(len(cells) / CELLS, 1.0)
    numbers = [round(place * step) for place in range(int(len(cells) / step))]
    calls = []
    for number in numbers:
        cell = cells[number]
        indices = range(cell.start, cell.start + min(cell.count, ITEMS))
        calls.append((cell.family, cell.level, cell.knobs, cell.split, cell.seed, list(indices)))
    found = pool.run(MADE, calls, seconds=SECONDS, chunk=1)
    pairs = zip(numbers, found, strict=True)
    return [(number, each) for number, each in pairs if not isinstance(each, Failure)]


def _bytes_of(items: Sequence[Item]) -> float:
    """Of an item: what the second half of a file takes beside the first."""
    rows = [row_of(item) for item in items]
    rows = rows[::2] + rows[1::2]  # both halves of all families
    if len(rows) == 1:
        return size_of(table_of(rows))
    half = len(rows) // 2
    return (size_of(table_of(rows)) - size_of(table_of(rows[:half]))) / (len(rows) - half)


def _time(minutes: float) -> str:
    if minutes < 1:
        return f"{max(round(minutes * 60), 1)} seconds"
    return f"{minutes:.0f} minutes" if minutes < 120 else f"{minutes / 60:,.1f} hours"


def _size(size: int) -> str:
    power = min((len(str(size)) - 1) // 3, 4)
    return f"{size / 1000**power:.3g} {('bytes', 'kB', 'MB', 'GB', 'TB')[power]}"
