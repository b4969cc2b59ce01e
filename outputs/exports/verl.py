"""verl: rows for RLHFDataset, and the custom reward function that goes with them."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from puzzlemill.core.rows import IMAGE, MESSAGE
from puzzlemill.outputs.exports import COMMON, Columns, Export, Format, Row, common
from puzzlemill.outputs.rewards import score

COLUMNS: Columns = (
    ("data_source", pa.string()),
    ("prompt", pa.list_(MESSAGE)),
    ("ability", pa.string()),
    ("reward_model", pa.struct([("style", pa.string()), ("ground_truth", pa.string())])),
    # The same keys in every row, puzzles as JSON: a struct whose keys differ is filled with nulls.
    ("extra_info", pa.struct([("index", pa.int64()), ("split", pa.string()), *COMMON])),
)


def text_row(row: Row) -> dict[str, Any]:
    return {
        "data_source": f"puzzlemill/{row['family']}",
        "prompt": row["prompt"],
        "ability": row["category"],
        "reward_model": {"style": "rule", "ground_truth": row["answer"]},
        "extra_info": {"index": row["rank"], "split": row["split"], **common(row)},
    }


def picture_row(row: Row) -> dict[str, Any]:
    return text_row(row) | {"images": row["images"]}


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, Any] | None = None,
    thinking: bool = False,
    **others: Any,
) -> dict[str, float]:
    """The score and what is logged beside it: always the same keys, all of them numbers.

    The row comes in `extra_info`; `ground_truth` is one right answer, and others may be right.
    """
    verdict = score(extra_info or {}, solution_str, thinking)
    return {
        "score": verdict["score"],
        "acc": float(verdict["correct"]),
        "unparsed": float(verdict["status"] == "unparsed"),
        "error": float(verdict["status"] == "error"),
    }


USAGE = """
## Training

```console
$$ python -m verl.trainer.main_ppo \\
    data.train_files=$train \\
    data.shuffle=False \\
    reward.custom_reward_function.path=$folder/reward.py \\
    reward.custom_reward_function.name=compute_score \\
    …
```

- `data.shuffle=False`: the default shuffles, and the curriculum is lost.
- Paths must be seen by every worker; `path=pkg://puzzlemill.outputs.exports.verl` needs none.
- The reward gives `score`, `acc`, `unparsed` and `error` for every reply; for dynamic sampling set
  `algorithm.filter_groups.metric=acc`.
- If your model's chat template ends a prompt with `<think>`, add
  `+reward.custom_reward_function.reward_kwargs.thinking=True`: what stands in a thought that is
  never closed is no answer.
- Set `data.max_prompt_length` with care: longer prompts are filtered out with nothing but a printed
  count. Rows with pictures are in files of their own, for models that see.
"""

EXPORT = Export(
    texts=Format(COLUMNS, text_row),
    pictures=Format((*COLUMNS, ("images", pa.list_(IMAGE))), picture_row),
    hook=f"{__name__}:compute_score",
    usage=USAGE,
)
