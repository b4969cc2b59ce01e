"""Whether inspect_ai and lm-eval give the verdicts that we give, on the same items of all families.

    .venv-harnesses/bin/python -m benchmarks.evaluation.agreement

Of three items of a family the first is answered by gold, the second by the first one's gold, the
third not at all. Every score is compared, and the counts go to result.json.
"""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import generate as solver

from puzzlemill.core import registry
from puzzlemill.core.item import Item, generate
from puzzlemill.core.storage.files import read_json, write_json
from puzzlemill.core.verdict import check
from puzzlemill.pipelines.evaluation import inspect_tasks, lm_eval_tasks

RESULT = Path(__file__).resolve().parent / "result.json"
EACH = 3  # items of a family
LEVEL = 0.5

Scores = dict[str, float]  # by uid


def replied(items: Sequence[Item]) -> list[tuple[Item, str]]:
    """A family's items, with gold, another's gold and no answer in turn."""
    first = f"<answer>{items[0].answer}</answer>"
    replies = (first, f"It follows that it is {first}.", "I do not know.")
    return [(item, replies[at % EACH]) for at, item in enumerate(items)]


def output_of(text: str) -> ModelOutput:
    """What a mock model says, with its tokens: inspect_ai would fetch a tokenizer to count them."""
    output = ModelOutput.from_content("mockllm/model", text)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


def by_inspect(pairs: Sequence[tuple[Item, str]], logs: Path) -> Scores:
    """One task with all items, whose model says the replies in their order."""
    outputs = [output_of(reply) for _, reply in pairs]
    samples = [inspect_tasks.sample_of(item) for item, _ in pairs]
    [log] = inspect_eval(
        Task(MemoryDataset(samples), solver=solver(), scorer=inspect_tasks.verdict()),
        model=get_model("mockllm/model", custom_outputs=outputs),
        display="none",
        log_dir=str(logs),
        max_connections=1,
        max_samples=1,
    )
    assert log.status == "success", log.error and log.error.message
    return {str(each.id): each.scores["verdict"].as_float() for each in log.samples}


def by_lm_eval(
    pairs: Sequence[tuple[Item, str]], folder: Path, level: float = LEVEL
) -> tuple[Scores, Scores]:
    """The score and whether it is correct; by the folder's own tasks, which make the items anew."""
    import lm_eval
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    said = {item.prompt: reply for item, reply in pairs}

    class Said(LM):  # type: ignore[misc]
        def loglikelihood(self, requests: Any) -> Any:
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

        def generate_until(self, requests: Any) -> list[str]:
            return [said[request.args[0]] for request in requests]

    manager = TaskManager(
        include_path=str(folder),
        include_defaults=False,
        metadata={"n": EACH, "level": level},
    )
    names = sorted({f"puzzlemill_{item.family}" for item, _ in pairs})
    results = lm_eval.simple_evaluate(
        Said(), tasks=names, task_manager=manager, log_samples=True, bootstrap_iters=0
    )
    samples = [each for name in names for each in results["samples"][name]]
    uids = [each["doc"]["uid"] for each in samples]
    return (
        dict(zip(uids, (each["score"] for each in samples), strict=True)),
        dict(zip(uids, (each["correct"] for each in samples), strict=True)),
    )


def main() -> None:
    names = registry.names()
    pairs = [
        pair
        for name in names
        for pair in replied([*generate(name, LEVEL, 0, EACH, "test")])
    ]  # fmt: skip
    texts = [(item, reply) for item, reply in pairs if not item.images]
    ours = {item.uid: check(item, reply) for item, reply in pairs}
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        os.chdir(home)  # inspect_ai takes puzzlemill/... for a path where there is such a folder
        lm_eval_tasks.write_tasks(home / "tasks", names)
        inspected = by_inspect(pairs, home / "logs")
        scored, correct = by_lm_eval(texts, home / "tasks")
    apart = [uid for uid, score in inspected.items() if score != ours[uid].score]
    apart += [uid for uid, score in scored.items() if score != ours[uid].score]
    apart += [uid for uid, right in correct.items() if right != ours[uid].correct]
    figures = {
        "inspect_items": len(inspected),
        "lm_eval_items": len(scored),
        "correct": sum(verdict.correct for verdict in ours.values()),
        "disagreements": len(apart),
    }
    print(figures, *apart)
    before = read_json(RESULT)
    write_json(RESULT, before | {"agreement": figures})


if __name__ == "__main__":
    main()
