"""inspect_ai and lm-eval with every family: gold is right, a constant is not; `make harnesses`."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model

from puzzlemill.core import registry
from puzzlemill.core.item import generate
from puzzlemill.core.rows import row_of
from puzzlemill.core.verdict import check
from puzzlemill.pipelines.evaluation import inspect_tasks, lm_eval_tasks

FAMILIES = registry.names()
LOWEST = 0.0
FEW = {"totient": 0.5}  # families with so few puzzles at the lowest level that none is for tests


def model_of(replies: list[str] | Callable[[str], str]) -> Model:
    """A model that says these, one after the other, or what a function makes of the prompt."""

    def output(text: str) -> ModelOutput:
        said = ModelOutput.from_content("mockllm/model", text)
        said.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return said

    if callable(replies):
        return get_model(
            "mockllm/model", custom_outputs=lambda asked, *_: output(replies(asked[-1].text))
        )
    return get_model("mockllm/model", custom_outputs=[output(text) for text in replies])


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """inspect_ai takes `puzzlemill/gcd` for a path where there is a folder of that name."""
    monkeypatch.chdir(tmp_path)


def run(task: str | Task, model: Model, tmp_path: Path, **options: Any) -> Any:
    [log] = inspect_eval(
        task, model=model, display="none", log_dir=str(tmp_path), max_connections=1, **options
    )
    assert log.status == "success", log.error
    return log


def answered(text: str) -> str:
    return f"<answer>{text}</answer>"


@pytest.mark.parametrize("category", registry.categories())
def test_every_family_is_a_task_whose_gold_is_right(category: str, tmp_path: Path) -> None:
    for name in registry.names(category):
        level = FEW.get(name, LOWEST)
        [item] = generate(name, level, 0, 1, "test")
        task = inspect_tasks.family_task(name, level, 1)
        log = run(task, model_of([answered(item.answer)]), tmp_path)
        assert log.results.scores[0].metrics["mean"].value == 1, name


def test_a_task_is_found_by_its_name_and_agrees_with_ours(tmp_path: Path) -> None:
    items = list(generate("sorting", 0.5, 3, 12, "test"))
    replies = [answered(item.answer if at % 3 else "1") for at, item in enumerate(items)]
    log = run("puzzlemill/sorting", model_of(replies), tmp_path, task_args={"n": 12, "seed": 3})
    theirs = {sample.id: sample.scores["verdict"].as_float() for sample in log.samples}
    ours = {item.uid: check(item, reply).score for item, reply in zip(items, replies)}
    assert theirs == ours


def test_pictures_are_sent(tmp_path: Path) -> None:
    log = run(
        "puzzlemill/clock_face", model_of([answered("1:00")] * 2), tmp_path, task_args={"n": 2}
    )
    assert any(part.type == "image" for part in log.samples[0].input[0].content)


def test_the_adaptive_test_stops_when_the_level_is_known(tmp_path: Path) -> None:
    def solver(prompt: str) -> str:
        return answered("7")

    log = run(inspect_tasks.level("basics", most=400), model_of(solver), tmp_path)
    assert 16 <= len(log.samples) < 400
    assert len({sample.id for sample in log.samples}) == len(log.samples)


def test_an_item_with_both_outcomes_is_not_asked_on(tmp_path: Path) -> None:
    [item] = generate("gcd", 0.5, 0, 1, "test")
    replies = [answered(item.answer), answered("-1"), *[answered("-2")] * 8]
    task = inspect_tasks.family_task("gcd", 0.5, 1, both_outcomes=True)
    log = run(task, model_of(replies), tmp_path, epochs=10)
    assert len(log.samples) == 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tasks = tmp_path_factory.mktemp("lm") / "tasks"
    lm_eval_tasks.write_tasks(tasks, FAMILIES)
    return tasks


def test_lm_eval_finds_every_text_family_and_scores_gold(folder: Path) -> None:
    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=str(folder), include_defaults=False)
    names = sorted(path.stem for path in folder.glob("*.yaml"))
    assert len(names) > 350
    assert {f"puzzlemill_{name}" for name in names} <= {*manager.all_subtasks}
    for name in names:
        document = row_of(generate(name, FEW.get(name, LOWEST), 0, 1, "test")[0])
        gold = lm_eval_tasks.process_results(document, [answered(document["answer"])])
        assert gold["correct"] == 1, name
        assert lm_eval_tasks.process_results(document, ["I do not know."])["correct"] == 0, name


def test_lm_eval_runs_a_task_and_agrees_with_ours(folder: Path) -> None:
    import lm_eval
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    class Constant(LM):  # type: ignore[misc]
        def loglikelihood(self, requests: Any) -> Any:
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

        def generate_until(self, requests: Any) -> list[str]:
            return [answered("107") for _ in requests]

    manager = TaskManager(include_path=str(folder), include_defaults=False, metadata={"n": 40})
    results = lm_eval.simple_evaluate(
        Constant(), tasks=["puzzlemill_gcd"], task_manager=manager, log_samples=True
    )
    ours = [check(item, answered("107")).correct for item in generate("gcd", 0.5, 0, 40, "test")]
    assert 0 < sum(ours) < 40
    assert results["results"]["puzzlemill_gcd"]["correct,none"] == pytest.approx(sum(ours) / 40)


def test_inspect_lists_tasks_by_their_entry_point() -> None:
    code = "from inspect_ai._util.entrypoints import ensure_entry_points as e; e('puzzlemill');"
    code += "from inspect_ai._util.registry import registry_lookup as r;"
    code += "assert r('task', 'puzzlemill/level') and r('task', 'puzzlemill/sudoku')"
    subprocess.run([sys.executable, "-c", code], check=True)
