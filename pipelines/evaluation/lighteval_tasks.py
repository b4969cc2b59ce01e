"""lighteval: a task for a Puzzlemill dataset, with the families' own verdicts.

    PUZZLEMILL_DATASET=OWNER/NAME lighteval vllm model_name=MODEL puzzlemill \\
        --custom-tasks puzzlemill.pipelines.evaluation.lighteval_tasks

PUZZLEMILL_DATASET is a dataset that a build has written, on the Hub or its folder `dataset`. Its
test split is asked, without the rows that have pictures. lighteval runs the task by its own
pipeline, or by the fields that inspect_ai reads. (`lighteval eval` of 0.13.0 takes --custom-tasks
and overlooks it.)
"""

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from inspect_ai.dataset import Sample
from inspect_ai.solver import generate
from lighteval.metrics.metrics import SampleLevelMetric
from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc, SamplingMethod

from puzzlemill.core.errors import UserError
from puzzlemill.core.verdict import check
from puzzlemill.pipelines.evaluation.inspect_tasks import ROW, verdict

TOKENS = 4096  # of a reply, at most


def samples_of(record: Mapping[str, Any]) -> list[Sample]:
    """The row for inspect_ai; none where it has pictures."""
    if not is_text(record):
        return []
    metadata = {"row": {name: record[name] for name in ROW}, "level": record["level"]}
    sample = Sample(
        input=_prompt(record), target=record["answer"], id=record["uid"], metadata=metadata
    )
    return [sample]


def doc_of(record: Mapping[str, Any], task_name: str = "") -> Doc:
    return Doc(
        query=_prompt(record),
        choices=[record["answer"]],
        gold_index=0,
        task_name=task_name,
        id=record["uid"],
        specific={name: record[name] for name in ROW},
    )


class Verdict(SampleLevelComputation):  # type: ignore[misc]
    """The mean score of the replies to an item."""

    def compute(self, doc: Doc, model_response: ModelResponse, **_: Any) -> float:
        texts = model_response.final_text
        return float(np.mean([check(doc.specific, text).score for text in texts]))


def _prompt(record: Mapping[str, Any]) -> str:
    return str(record["prompt"][-1]["content"])


def is_text(record: Mapping[str, Any]) -> bool:
    return not record["images"]


DATASET = os.environ.get("PUZZLEMILL_DATASET", "")
if not DATASET:
    raise UserError("PUZZLEMILL_DATASET is to name the dataset: OWNER/NAME, or a folder")
SCORE = SampleLevelMetric(
    metric_name="puzzlemill_score",
    higher_is_better=True,
    category=SamplingMethod.GENERATIVE,
    sample_level_fn=Verdict(),
    corpus_level_fn=np.mean,
)
TASKS_TABLE = [
    LightevalTaskConfig(
        name="puzzlemill",
        prompt_function=doc_of,
        hf_repo=DATASET,
        hf_subset="default",
        hf_avail_splits=["train", "validation", "test"],
        evaluation_splits=["test"],
        metrics=[SCORE],
        generation_size=TOKENS,
        stop_sequence=[],
        sample_fields=samples_of,
        solver=[generate()],
        scorer=verdict(),
        hf_filter=is_text,
        version=1,
    )
]
