"""inspect_ai and lm-eval with every family, lighteval, a benchmark on a Hub; `make harnesses`."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hub_server import OWNER, TOKEN, hub
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.model import Model, get_model

from benchmarks.evaluation.agreement import LEVEL, by_inspect, by_lm_eval, output_of, replied
from puzzlemill.core import registry
from puzzlemill.core.item import generate
from puzzlemill.core.rows import row_of
from puzzlemill.core.verdict import check
from puzzlemill.pipelines import build
from puzzlemill.pipelines.evaluation import hub_tasks, inspect_tasks, lm_eval_tasks

ROOT = Path(__file__).parents[2]
FAMILIES = registry.names()
LOWEST = 0.0
FEW = {"totient": 0.5}  # families with so few puzzles at the lowest level that none is for tests


def model_of(replies: list[str] | Callable[[str], str]) -> Model:
    """A model that says these, one after the other, or what a function makes of the prompt."""

    if callable(replies):
        return get_model(
            "mockllm/model", custom_outputs=lambda asked, *_: output_of(replies(asked[-1].text))
        )
    return get_model("mockllm/model", custom_outputs=[*map(output_of, replies)])


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """inspect_ai takes `puzzlemill/gcd` for a path where there is a folder of that name."""
    monkeypatch.chdir(tmp_path)


def run(task: str | Task, model: Model, tmp_path: Path, **options: Any) -> Any:
    [log] = inspect_eval(
        task, model=model, display="none", log_dir=str(tmp_path), max_connections=1, **options
    )
    assert log.status == "success", log.error and log.error.message
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


SOME = ("gcd", "sorting", "shortest_path", "countdown", "entailment", "minesweeper")


def test_scores_are_ours_item_by_item(folder: Path, tmp_path: Path) -> None:
    """Of some families; benchmarks/evaluation/agreement.py does it for all."""
    pairs = [
        pair
        for name in SOME
        for pair in replied([*generate(name, LEVEL, 0, 3, "test")])
    ]  # fmt: skip
    ours = {item.uid: check(item, reply).score for item, reply in pairs}
    assert 1.0 in ours.values()
    assert 0.0 in ours.values()
    assert by_inspect(pairs, tmp_path) == ours
    assert by_lm_eval(pairs, folder)[0] == ours


RECIPE = """name = "bench"
seed = 3
[[make]]
families = ["gcd", "countdown", "clock_face"]
split = "test"
count = 4
levels = [0.2]
[policy]
kind = "none"
"""


@pytest.fixture(scope="module")
def lighteval_tasks(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The module, for a build of twelve rows, four of them pictures. Lighteval loads all its own
    tasks beside, of which one downloads a file and one asks the Hub: they are left out."""
    home = tmp_path_factory.mktemp("lighteval")
    (home / "bench.toml").write_text(RECIPE)
    dataset = build(home / "bench.toml", home) / "dataset"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PUZZLEMILL_DATASET", str(dataset))
        patch.setenv("XDG_CACHE_HOME", str(home / "cache"))
        patch.setenv("INSPECT_CACHE_DIR", str(home / "cache"))
        from lighteval.tasks.registry import Registry

        from puzzlemill.pipelines.evaluation import lighteval_tasks

        patch.setattr(Registry, "_load_from_files", staticmethod(lambda files, prefix: {}))
        patch.setattr(Registry, "_load_from_subdirs", staticmethod(lambda subdirs: {}))
        yield lighteval_tasks


def config_of(module: Any) -> Any:
    from lighteval.tasks.registry import Registry

    found = Registry("puzzlemill", custom_tasks=module).task_to_configs
    [[config]] = found.values()
    return config


def test_lighteval_asks_by_the_fields_of_inspect(lighteval_tasks: Any, tmp_path: Path) -> None:
    from lighteval.main_inspect import get_inspect_ai_task

    task = get_inspect_ai_task(config_of(lighteval_tasks))
    golds = {sample.input: sample.target for sample in task.dataset}
    assert len(golds) == 8  # those with pictures are left out
    log = run(task, model_of(lambda prompt: answered(golds[prompt])), tmp_path)
    assert log.results.scores[0].metrics["mean"].value == 1
    log = run(task, model_of(lambda _: answered("-1")), tmp_path)
    assert log.results.scores[0].metrics["mean"].value == 0


def test_lighteval_asks_by_its_own_pipeline(lighteval_tasks: Any) -> None:
    from lighteval.models.model_output import ModelResponse
    from lighteval.tasks.lighteval_task import LightevalTask

    task = LightevalTask(config_of(lighteval_tasks))
    LightevalTask.load_datasets({"puzzlemill": task})
    docs = task.eval_docs()
    assert len(docs) == 8
    [metric] = task.metrics
    for reply, score in ((None, 1.0), ("<answer>-1</answer>", 0.0), ("I do not know.", 0.0)):
        for doc in docs:
            said = ModelResponse(text=[reply or answered(doc.choices[0])])
            assert metric.compute_sample(doc=doc, model_response=said) == {
                "puzzlemill_score": score
            }


HUB_CODE = """
import sys
from inspect_ai import eval
from inspect_ai.model import get_model
from benchmarks.evaluation.agreement import output_of
from datasets import load_dataset

rows = load_dataset(sys.argv[1], sys.argv[2], split="test")
golds = {row["prompt"]: row["answer"] for row in rows}

def output(asked, *_):
    text = asked[-1].text
    right = sum(map(ord, text)) % 2
    reply = f"No <answer>-7</answer>, but <answer> {golds[text]} </answer>."
    return output_of(reply if right else "<answer>-7</answer>")

[log] = eval(f"hf/{sys.argv[1]}/{sys.argv[2]}", model=get_model("mockllm/model",
    custom_outputs=output), display="none", log_dir=sys.argv[3])
assert log.status == "success", log.error and log.error.message
for sample in log.samples:
    right = sum(map(ord, sample.input)) % 2
    assert (sample.scores["pattern"].value == "C") == bool(right), sample
print(len(log.samples))
"""


def test_a_benchmark_on_the_hub_is_run_by_its_name(tmp_path: Path) -> None:
    """With the real clients, against a Hub of our own on the loopback."""
    families = ("gcd", "arithmetic_chain", "connectivity", "sudoku")
    assert hub_tasks.write_dataset(tmp_path / "bench", families) == 3  # a board has many forms
    with hub() as server:
        environment = {
            **os.environ, "HF_ENDPOINT": server.url, "HF_TOKEN": TOKEN, "HF_HUB_DISABLE_XET": "1",
            "PYTHONPATH": str(ROOT), "HF_HOME": str(tmp_path / "home"),
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
        }  # fmt: skip
        hf = str(Path(sys.executable).with_name("hf"))
        upload = [hf, "upload", f"{OWNER}/bench", "bench", ".", "--repo-type", "dataset"]
        subprocess.run(upload, check=True, env=environment, cwd=tmp_path)
        for category, rows in (("number_theory", 6), ("arithmetic", 6), ("graphs", 6)):
            done = subprocess.run(
                [sys.executable, "-c", HUB_CODE, f"{OWNER}/bench", category, str(tmp_path)],
                check=True, env=environment, cwd=tmp_path, stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
            assert done.stdout.split()[-1] == str(rows)


def test_what_compares_texts_judges_the_families_of_the_benchmark_as_we_do() -> None:
    for name in filter(hub_tasks.fits, FAMILIES):
        items = [*generate(name, FEW.get(name, 0.2), 0, 4, "test")]
        for item in items:
            for other in items:
                same = item.answer.lower() == other.answer.lower()
                assert check(item, answered(other.answer)).correct == same, (name, item.answer)
