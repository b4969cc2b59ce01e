"""Supervised fine-tuning: each question with a worked reply, judged like any other; text only."""

from typing import Any

import pyarrow as pa

from puzzlemill.core.rows import MESSAGE
from puzzlemill.outputs.exports import COMMON, Export, Format, Row, common


def text_row(row: Row) -> dict[str, Any]:
    reply = {"role": "assistant", "content": row["reply"]}
    return {"messages": [*row["prompt"], reply], **common(row)}


USAGE = """
## Training

The replies are the families' worked steps and the gold answer, and each was judged correct. Every
trainer for chats reads `messages`; with TRL:

```python
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

rows = load_dataset("parquet", data_files="$train", split="train").select_columns(["messages"])
config = SFTConfig(output_dir="out", assistant_only_loss=True, shuffle_dataset=False)
SFTTrainer("your-model", args=config, train_dataset=rows).train()
```
"""

EXPORT = Export(
    texts=Format((("messages", pa.list_(MESSAGE)), *COMMON), text_row),
    pictures=None,
    prepare="puzzlemill.outputs.trainer_files.solutions:with_solution",
    usage=USAGE,
)
