"""OpenRLHF: prompts, and labels as JSON, since a label is all that its reward function gets."""

from typing import Any

import pyarrow as pa

from puzzlemill.core.rows import IMAGE, MESSAGE
from puzzlemill.outputs.exports._export import Columns, Export, Format, Row
from puzzlemill.outputs.rewards import label_of

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
    hook="reward_func",
    usage=USAGE,
)
