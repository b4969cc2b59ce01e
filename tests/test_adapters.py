"""Adapters: one stream of tasks, what TRL's environments do, and prime-rl's sampler. What the
frameworks themselves make of them is tried in tests/real."""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import puzzlemill as pm
from puzzlemill.core import registry
from puzzlemill.core.item import certified
from puzzlemill.core.plain_data import thaw
from puzzlemill.serving.adapters import trl
from puzzlemill.serving.adapters.hub_package import ID, main
from puzzlemill.serving.adapters.prime_rl import Settings, ThompsonSampler, plug_in


def gold(problem: Any) -> str:
    fields = problem.item.fields
    family = registry.family(fields["family"])
    return certified(family, thaw(family.puzzle, fields["puzzle"]))


def test_trl_s_rows_say_which_environment_and_which_task() -> None:
    tasks = trl.environments(["sums", "play_nim"], count=4, split="test", levels=[0.0])
    rows = tasks.train_dataset
    assert rows["environment"] == ["problem", "game"] * 2
    assert rows["index"] == [0, 1, 2, 3]
    assert set(rows["split"]) == {"test"}
    assert rows[0]["prompt"] == [{"role": "user", "content": ""}]
    with pytest.raises(pm.UserError, match="count is 0"):
        trl.environments(["sums"], count=0)
    with pytest.raises(pm.UserError, match="jigsaw_grid shows pictures"):
        trl.environments(["sums", "jigsaw_grid"])
    with pytest.raises(pm.UserError, match="spy_pictures shows pictures"):
        trl.environments(["play_spy_pictures"])
    with pytest.raises(pm.UserError, match="in a list"):
        trl.environments("sums")


def test_trl_s_rollouts_of_a_group_are_about_one_problem_and_move_the_band() -> None:
    tasks = trl.environments(["sums"], band=(0.3, 0.7))
    problems = [tasks.environment_factory["problem"]() for _ in range(3)]
    prompts = {problem.reset(split="train", index=5, prompt=[]) for problem in problems}
    assert len(prompts) == 1
    right = f"<answer>{gold(problems[0])}</answer>"
    logged: dict[str, float] = {}
    scores = tasks.reward(
        [right, [{"role": "assistant", "content": "I cannot say."}], right],
        environments=problems, log_metric=logged.__setitem__, prompts=[],
    )  # fmt: skip
    assert scores == [1.0, 0.0, 1.0]
    assert logged == {"correct": 2 / 3, "unparsed": 1 / 3, "error": 0.0}
    assert tasks.server.band is not None
    ((_, tried, solved),) = tasks.server.band.tallies["sums"].values()
    assert (tried, solved) == (3, 2)


def test_a_live_band_from_a_checkpoint_asks_and_aims_as_before() -> None:
    before = trl.environments(["sums", "gcd"], band=(0.3, 0.7))
    for index in range(6):
        problem = before.environment_factory["problem"]()
        problem.reset("train", index)
        before.reward([f"<answer>{gold(problem)}</answer>"], [problem])
    state = json.loads(json.dumps(before.state_dict()))
    after = trl.environments(["sums", "gcd"], band=(0.3, 0.7))
    after.load_state_dict(state)
    assert after.state_dict() == state
    bands = [each.server.band for each in (before, after)]
    asked = [[band.task("train", index) for index in range(40)] for band in bands if band]
    assert asked[0] == asked[1]
    with pytest.raises(pm.UserError, match="of other families, such as"):
        trl.environments(["sorting"], band=(0.3, 0.7)).load_state_dict(state)
    with pytest.raises(pm.UserError, match="where `band` is set"):
        trl.environments(["sums"]).load_state_dict(state)
    with pytest.raises(pm.UserError, match="where `band` is set"):
        after.load_state_dict({})


def test_trl_s_tries_end_when_one_is_right_and_only_the_first_is_learnt() -> None:
    tasks = trl.environments(["sums"], tries=2, band=(0.3, 0.7))
    problem = tasks.environment_factory["problem"]()
    assert isinstance(problem, trl.Tries)
    problem.reset("train", 0)
    assert problem.submit("no") == trl.AGAIN
    assert problem.submit(gold(problem)) == trl.RIGHT
    assert problem.submit("no") == trl.OVER
    assert tasks.reward(["Done."], [problem]) == [1.0]
    assert tasks.server.band is not None
    assert [tally[1:] for tally in tasks.server.band.tallies["sums"].values()] == [[1, 0]]
    problem.reset("train", 1)
    assert tasks.reward([f"<answer>{gold(problem)}</answer>"], [problem]) == [1.0]


def test_trl_s_games_are_lost_by_an_illegal_move_and_by_leaving() -> None:
    game = trl.environments(["play_nim"], levels=[0.0]).environment_factory["game"]()
    assert "Nim" in game.reset(split="train", index=0)
    assert game.score == -1.0
    assert "no legal move" in game.play("9, 9")
    assert (game.score, game.play("1, 1")) == (-1.0, trl.OVER)


def test_a_hub_package_is_written_whole_into_a_new_folder(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "tasks"
    assert main([str(folder)]) == 0
    assert f'name = "{ID}"' in (folder / "pyproject.toml").read_text()
    assert main([str(folder)]) == 1
    assert "name a new folder" in capsys.readouterr().err
    assert main([]) == 2


# prime-rl


@dataclass(frozen=True)
class Task:
    key: str
    data: Any


def tasks_of(*levels: float, each: int = 30, mean: float | None = None) -> list[Task]:
    return [
        Task(f"{level}/{number}", SimpleNamespace(family="sums", level=level, mean=mean))
        for level in levels
        for number in range(each)
    ]


def group(task: Task, *rewards: float, **changes: Any) -> list[Any]:
    facts = {"has_error": False, "agent": SimpleNamespace(trainable=True), "num_turns": 1} | changes
    return [
        SimpleNamespace(ok=True, task=task, traces=[SimpleNamespace(reward=reward, **facts)])
        for reward in rewards
    ]


def picked(sampler: ThompsonSampler, rates: dict[float, float], steps: int, seed: int) -> Any:
    """How often each level is picked while its replies are right so often."""
    rng, counts = Random(seed), Counter[float]()
    for task in islice(sampler, steps):
        level = task.data.level
        counts[level] += 1
        sampler.observe(group(task, *(float(rng.random() < rates[level]) for _ in range(8))))
    return counts


def test_the_sampler_finds_the_level_at_the_target_and_follows_it() -> None:
    sampler = ThompsonSampler(tasks_of(0.0, 0.5, 1.0), Settings(floor=0.15))
    counts = picked(sampler, {0.0: 1.0, 0.5: 0.5, 1.0: 0.0}, 400, 1)
    assert counts[0.5] > 280
    assert min(counts.values()) > 8, "the floor explores"
    counts = picked(sampler, {0.0: 1.0, 0.5: 1.0, 1.0: 0.5}, 600, 2)
    assert counts[1.0] > 360
    assert sampler.metrics()["levels_seen"] == 3
    assert 0.1 < sampler.metrics()["uniform_share"] < 0.2


def test_measured_pass_rates_decide_before_any_reply() -> None:
    tasks = [*tasks_of(0.0, mean=0.98), *tasks_of(0.5, mean=0.5), *tasks_of(1.0, mean=0.02)]
    sampler = ThompsonSampler(tasks, Settings(floor=0.0, candidates=90))
    first = Counter(task.data.level for task in islice(sampler, 15))
    assert first[0.5] >= 13


def test_a_checkpoint_as_json_goes_on_with_the_same_picks() -> None:
    def stream() -> Iterator[Task]:
        return (Task(str(n), SimpleNamespace(family="sums", level=n % 3 / 2)) for n in count())

    for make in (lambda: tasks_of(0.0, 0.5, 1.0), stream):
        whole = ThompsonSampler(make(), Settings(seed=4))  # type: ignore[arg-type]
        picked(whole, {0.0: 0.9, 0.5: 0.5, 1.0: 0.1}, 40, 3)
        state = json.loads(json.dumps(whole.state_dict()))
        again = ThompsonSampler(make(), Settings(seed=4))  # type: ignore[arg-type]
        again.load_state_dict(state)
        assert [task.key for task in islice(again, 25)] == [t.key for t in islice(whole, 25)]
    assert "tasks" in state
    assert not state["tasks"], "the checkpoint of an endless run would grow"


def test_a_pick_is_not_made_again_while_its_outcome_is_on_the_way() -> None:
    sampler = ThompsonSampler(tasks_of(0.5, each=40), Settings())
    keys = [task.key for task in islice(sampler, 20)]
    assert len(set(keys)) == 20
    assert len([*islice(sampler, 60)]) == 60, "a group that never comes back blocks nothing"


def test_failed_and_untrainable_rollouts_teach_the_sampler_nothing() -> None:
    (task, *_) = tasks = tasks_of(0.5)
    sampler = ThompsonSampler(tasks, Settings())
    for changes in ({"has_error": True}, {"num_turns": 0}):
        sampler.observe(group(task, 1.0, **changes))
    sampler.observe(group(task, 1.0, agent=SimpleNamespace(trainable=False)))
    assert not sampler.beliefs.cells
    with pytest.raises(pm.UserError, match="one key"):
        ThompsonSampler([task, task], Settings())
    with pytest.raises(pm.UserError, match="no task"):
        ThompsonSampler([], Settings())


def test_plugging_in_takes_the_place_of_prime_rl_s_default_sampler_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = ModuleType("prime_rl.orchestrator.train_source")
    orchestrator = ModuleType("prime_rl.orchestrator")
    orchestrator.train_source = source  # type: ignore[attr-defined]
    for module in (ModuleType("prime_rl"), orchestrator, source):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    with pytest.raises(pm.UserError, match="by hand"):
        plug_in()
    source.setup_sampler = lambda config, tasks: "theirs"  # type: ignore[attr-defined]
    with pytest.raises(pm.UserError, match="flor"):
        plug_in(flor=0.2)
    exec(snippet_of_the_page(), {})
    ours = source.setup_sampler(SimpleNamespace(type="standard"), tasks_of(0.5))
    assert isinstance(ours, ThompsonSampler)
    assert (ours.settings.floor, ours.settings.target) == (0.1, 0.5)
    chosen = SimpleNamespace(type="difficulty_pool")
    assert source.setup_sampler(chosen, tasks_of(0.5)) == "theirs"


def snippet_of_the_page() -> str:
    page = (Path(__file__).parents[1] / "docs" / "adapters.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page.partition("\n## prime-rl\n")[2], re.DOTALL)
    return str(code)
