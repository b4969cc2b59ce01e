"""TRL: rows for GRPOTrainer, whose reward function gets every column."""

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

import pyarrow as pa

from puzzlemill.core.rows import IMAGE, MESSAGE
from puzzlemill.outputs.exports import COMMON, Export, Format, Row, common, content_blocks
from puzzlemill.outputs.rewards import FIELDS, score_all

BLOCK = pa.struct([("type", pa.string()), ("text", pa.string())])
BLOCKS = pa.list_(pa.struct([("role", pa.string()), ("content", pa.list_(BLOCK))]))


def text_row(row: Row) -> dict[str, Any]:
    return {"prompt": row["prompt"], **common(row)}


def picture_row(row: Row) -> dict[str, Any]:
    """Contents in blocks: in a plain text TRL would put every picture first and leave the marks."""
    prompt = [
        message | {"content": content_blocks(message["content"])} for message in row["prompt"]
    ]
    return {"prompt": prompt, "images": row["images"], **common(row)}


def reward(
    completions: Sequence[Any], log_metric: Callable[[str, float], None] | None = None, **given: Any
) -> list[float | None]:
    """A score for each completion; None where our own code failed, which says nothing about it."""
    return _rewards(completions, log_metric, given, thinking=False)


def thinking_reward(
    completions: Sequence[Any], log_metric: Callable[[str, float], None] | None = None, **given: Any
) -> list[float | None]:
    """The same where the chat template ends a prompt with an open <think>."""
    return _rewards(completions, log_metric, given, thinking=True)


def _rewards(
    completions: Sequence[Any],
    log_metric: Callable[[str, float], None] | None,
    given: Mapping[str, Any],
    thinking: bool,
) -> list[float | None]:
    names = [name for name in FIELDS if name in given]
    columns = zip(*(given[name] for name in names), strict=True)
    rows = [dict(zip(names, values, strict=True)) for values in columns]
    verdicts = score_all(rows or [{}] * len(completions), completions, thinking)
    if log_metric is not None and verdicts:
        log_metric("correct", fmean(each["correct"] for each in verdicts))
        for status in ("unparsed", "error"):
            log_metric(status, fmean(each["status"] == status for each in verdicts))
    return [None if each["status"] == "error" else each["score"] for each in verdicts]


USAGE = """
## Training

```python
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

from puzzlemill.outputs.exports.trl import reward

rows = load_dataset("parquet", data_files="$train", split="train")
config = GRPOConfig(output_dir="out", shuffle_dataset=False)  # shuffling would undo the curriculum
GRPOTrainer("your-model", reward_funcs=reward, args=config, train_dataset=rows).train()
```

- Leave `remove_unused_columns` off, as it is by default: the reward needs the columns.
- If your model's chat template ends a prompt with `<think>`, take `thinking_reward` instead: what
  stands in a thought that is never closed is no answer.
- Where a verifier of ours fails, the reward is None: TRL leaves that reply out of the baseline.
- Rows with pictures are in files of their own, for models that see.
"""

EXPORT = Export(
    texts=Format((("prompt", pa.list_(MESSAGE)), *COMMON), text_row),
    pictures=Format((("prompt", BLOCKS), ("images", pa.list_(IMAGE)), *COMMON), picture_row),
    hook=f"{__name__}:reward",
    usage=USAGE,
)
