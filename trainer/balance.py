"""B-STaR: sampling is tuned before a run by the balance of exploration and exploitation.

A probe samples a few items at each temperature. A group of replies scores high if it has many
different right replies, and if they are a large share of all replies. The temperature and the size
of groups with the highest mean score are those of the run. In `puzzlemill loop` each round has a
run, and so a probe of its own.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean

from puzzlemill.core.storage.files import write_json
from puzzlemill.difficulty.policies.model import LocalPolicy, at_temperature
from puzzlemill.difficulty.scoring import Judge, judge_groups, judge_in_workers, question_of
from puzzlemill.trainer import distributed
from puzzlemill.trainer.item_task import ItemTask
from puzzlemill.trainer.sampler import over_ranks
from puzzlemill.trainer.schedule import Row, Ticket
from puzzlemill.trainer.settings import Balance

FILE = "balance.json"  # beside a run's checkpoints


@dataclass(frozen=True, slots=True)
class Probe:
    """What a temperature and a size of groups came to."""

    temperature: float
    group: int
    score: float
    right: float  # share of the replies
    distinct: float  # share of the replies that are right and unlike each other


def balance_score(right: Sequence[str], replies: int, wanted: int) -> float:
    """The balance of one group: enough different right replies, and few others beside them."""
    distinct = len(set(right))
    return min(distinct / wanted, 1) * distinct / replies


def is_tuned(settings: Balance) -> bool:
    return bool(settings.temperatures or settings.groups)


def tuned(run: Path, policy: LocalPolicy, task: ItemTask) -> LocalPolicy:
    """The policy at the temperature that the probe chose, and the task with its size of groups."""
    settings, path = task.settings, run / FILE
    if not distributed.broadcast(path.is_file()):
        probes = [*probe(policy, task)]
        best = max(probes, key=lambda each: each.score)
        if distributed.rank() == 0:
            write_json(path, {"chosen": asdict(best), "probes": [asdict(each) for each in probes]})
        distributed.barrier()
    chosen = json.loads(path.read_text())["chosen"]
    task.settings = replace(settings, group=chosen["group"])
    task.balance = chosen
    return at_temperature(policy, chosen["temperature"])


def probe(policy: LocalPolicy, task: ItemTask, judge: Judge = judge_in_workers) -> Iterator[Probe]:
    """All temperatures and sizes of groups; a smaller group is the beginning of a larger one."""
    settings, rows = task.settings.balance, probed_rows(task)
    temperatures = settings.temperatures or (policy.sampling.temperature,)
    sizes = settings.groups or (task.settings.group,)
    for temperature in temperatures:
        sampled, judge = over_ranks(at_temperature(policy, temperature), judge)
        groups = sampled.sample([question_of(row, "balance") for row in rows], max(sizes))
        verdicts = judge_groups(rows, groups, judge)
        for size in sizes:
            right = [
                [" ".join(r.text.split()) for r, v in zip(some[:size], judged) if v.correct]
                for some, judged in zip(groups, verdicts, strict=True)
            ]
            yield Probe(
                temperature,
                size,
                round(fmean(balance_score(each, size, settings.wanted) for each in right), 6),
                round(fmean(len(each) / size for each in right), 6),
                round(fmean(len(set(each)) / size for each in right), 6),
            )


def probed_rows(task: ItemTask) -> list[Row]:
    """Items of the run, spread evenly over the pool."""
    source, wanted = task.schedule.source, task.settings.balance.items
    count = min(wanted, len(source.pool))
    places = [number * len(source.pool) // count for number in range(count)]
    return [source.row(Ticket(place)) for place in places]
