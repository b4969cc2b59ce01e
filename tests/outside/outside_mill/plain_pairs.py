"""An export of questions and answers, whose reward is a function of this file."""

from typing import Any

import pyarrow as pa

from puzzlemill.outputs.exports import Export, Format, Row
from puzzlemill.outputs.rewards import label_of, score


def text_row(row: Row) -> dict[str, Any]:
    return {"question": row["prompt"][-1]["content"], "label": label_of(row)}


def reward(label: str, reply: str) -> float:
    return float(score(label, reply)["score"])


EXPORT = Export(
    texts=Format((("question", pa.string()), ("label", pa.string())), text_row),
    pictures=None,
    hook=f"{__name__}:reward",
    suffix="jsonl",
    usage="Call the `reward` of reward.py with a label and a reply.",
)
