"""open-instruct: rows for RLVR; text only."""

from typing import Any

import pyarrow as pa

from puzzlemill.core.rows import MESSAGE
from puzzlemill.outputs.exports import Export, Format, Row
from puzzlemill.outputs.rewards import label_of


def text_row(row: Row) -> dict[str, Any]:
    """The fields that judging needs are the ground truth: a verifier gets nothing else."""
    return {
        "messages": row["prompt"],
        "ground_truth": label_of(row),
        "dataset": "puzzlemill",
        "uid": row["uid"],
    }


LAUNCH = '''"""Runs open-instruct's GRPO with Puzzlemill's verifier; the arguments are its own."""

import runpy

import reward

assert reward.PuzzlemillVerifier
runpy.run_module("open_instruct.grpo_fast", run_name="__main__", alter_sys=True)
'''

USAGE = """
## Training

A verifier is known to open-instruct once its class is defined, and there is no setting that names
one. `launch.py` defines it and then runs open-instruct:

```console
$$ python $folder/launch.py \\
    --dataset_mixer_list $train 1.0 --dataset_mixer_list_splits train \\
    …
```

- Scores are multiplied by `--verification_reward`, which is 10 unless you set it.
- If the log says that no reward function was found for `puzzlemill`, it was started otherwise,
  and every reward is 0.
- open-instruct shuffles. To keep a curriculum, export with `--stages` and train on one file after
  another.
- This export was held against open-instruct's source, not run with it: it is on no registry.
"""

EXPORT = Export(
    texts=Format(
        (
            ("messages", pa.list_(MESSAGE)),
            ("ground_truth", pa.string()),  # JSON
            ("dataset", pa.string()),
            ("uid", pa.string()),
        ),
        text_row,
    ),
    pictures=None,
    beside={"launch.py": LAUNCH},
    hook=f"{__name__}.reward:PuzzlemillVerifier",
    usage=USAGE,
)
