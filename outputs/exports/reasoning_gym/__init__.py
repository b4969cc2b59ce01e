"""Reasoning Gym: questions, answers and metadata, as its datasets give them; text only."""

from typing import Any

import pyarrow as pa

from puzzlemill.core.plain_data import canonical_json
from puzzlemill.outputs.exports import Export, Format, Row, common


def text_row(row: Row) -> dict[str, Any]:
    metadata = common(row) | {"source_dataset": row["family"], "source_index": row["rank"]}
    return {
        "question": "\n\n".join(message["content"] for message in row["prompt"]),
        "answer": row["answer"],
        "metadata": canonical_json(metadata),
    }


USAGE = """
## Use

```python
import reasoning_gym

from puzzlemill.outputs.exports.reasoning_gym.reward import register

register()
data = reasoning_gym.create_dataset("puzzlemill", path="$train")
entry = data[0]
print(entry["question"], data.score_answer(entry["answer"], entry))
```

Items come in the file's order; nothing is random. `score_answer` takes an answer that was read out
of a reply, as Reasoning Gym's own trainers do, or a whole reply with its `<answer>` tags.
"""

EXPORT = Export(
    texts=Format(
        (("question", pa.string()), ("answer", pa.string()), ("metadata", pa.string())), text_row
    ),
    pictures=None,
    hook=f"{__name__}.reward:register",
    usage=USAGE,
)
