"""OpenRLHF: prompts, and labels as JSON, since a label is all that its reward function gets."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from puzzlemill.core.rows import IMAGE, MESSAGE
from puzzlemill.outputs.exports import Columns, Export, Format, Row
from puzzlemill.outputs.rewards import label_of, score_all

TAIL = 80  # characters at a prompt's end by which it is found in a query

COLUMNS: Columns = (
    ("prompt", pa.list_(MESSAGE)),
    ("label", pa.string()),  # JSON
    ("datasource", pa.string()),
)


def text_row(row: Row) -> dict[str, Any]:
    return {
        "prompt": row["prompt"],
        "label": label_of(row),
        "datasource": f"puzzlemill/{row['family']}",
    }


def picture_row(row: Row) -> dict[str, Any]:
    return text_row(row) | {"images": row["images"]}


def reward_func(
    queries: Sequence[str], prompts: Sequence[str], labels: Sequence[str], **others: Any
) -> dict[str, Any]:
    """Rewards and scores of replies; a label is a row's fields as JSON."""
    import torch

    replies = [reply_of(query, prompt) for query, prompt in zip(queries, prompts, strict=True)]
    verdicts = score_all(labels, [reply or "" for reply in replies])
    lost = [reply is None for reply in replies]
    scores = torch.tensor([float(each["score"]) for each in verdicts])
    return {
        "rewards": scores,
        "scores": scores,
        "extra_logs": {
            "correct": torch.tensor([float(each["correct"]) for each in verdicts]),
            "unparsed": torch.tensor([float(each["status"] == "unparsed") for each in verdicts]),
            "error": torch.tensor(
                [float(gone or each["status"] == "error") for each, gone in zip(verdicts, lost)]
            ),
        },
    }


def reply_of(query: str, prompt: str) -> str | None:
    """What follows the prompt in a query; None where the prompt is not to be found in it.

    The prompt must go: it says "between <answer> and </answer>", which is an answer of its own. Its
    beginning may differ in a query (pictures stand there as tokens, or it was cut), its end not.
    """
    tail = prompt.rpartition("<image>")[2][-TAIL:]
    if not tail:
        return None
    _, matched, reply = query.partition(prompt)
    if not matched:
        _, matched, reply = query.partition(tail)
    if not matched:
        return None
    # A template may have opened the thought: unless the reply closes it, nothing was answered.
    return f"<think>{reply}" if prompt.rstrip().endswith("<think>") else reply


USAGE = """
## Training

```console
$$ python -m openrlhf.cli.train_ppo_ray \\
    --data.prompt_dataset $train \\
    --data.input_key prompt --data.label_key label --data.apply_chat_template \\
    --reward.remote_url $folder/reward.py \\
    …
```

- OpenRLHF shuffles its prompts and has no switch for that. To keep a curriculum, export with
  `--stages` and train on one file after another.
- Without `--data.apply_chat_template` a list of messages cannot be read.
- Rows with pictures are in files of their own, for models that see (`--data.image_key images`).
"""

EXPORT = Export(
    texts=Format(COLUMNS, text_row),
    pictures=Format((*COLUMNS, ("images", pa.list_(IMAGE))), picture_row),
    hook=f"{__name__}:reward_func",
    usage=USAGE,
)
