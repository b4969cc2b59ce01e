"""Harbor: a folder for each item, as a task of its own, judged in a container of its own."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from puzzlemill.core.storage.files import write_text
from puzzlemill.outputs.exports import Export, Format, Row
from puzzlemill.outputs.rewards import FIELDS

ANSWER = "/app/answer.txt"

INSTRUCTION = """{prompt}

Write your reply to the file `{answer}`, with the answer between `<answer>` and `</answer>`.
"""

TASK = """schema_version = "1.4"
artifacts = ["{answer}"]

[task]
name = "puzzlemill/{name}"
description = "A problem of the family {family}, certified and judged by its rules."
keywords = ["reasoning", "{family}"]

[metadata]
uid = "{uid}"
family = "{family}"
level = {level}

[agent]
timeout_sec = 900.0

[verifier]
timeout_sec = 120.0
environment_mode = "separate"
network_mode = "no-network"

[verifier.environment]
network_mode = "no-network"
cpus = 1
memory_mb = 4096

[environment]
network_mode = "no-network"
cpus = 1
memory_mb = 1024
"""

# The verifiers are in the verifier's image alone: an agent that has them has the solvers, too.
AGENT = f"""FROM docker.io/library/ubuntu:24.04
WORKDIR /app
RUN touch {ANSWER}
"""
VERIFIER = """FROM puzzlemill
USER root
WORKDIR /app
COPY . /tests/
ENTRYPOINT []
CMD []
"""

SOLVE = f"""#!/bin/bash
cp "$(dirname "$0")/answer.txt" {ANSWER}
"""
TEST = f"""#!/bin/bash
cd "$(dirname "$0")"
python -m {__name__}.reward row.json {ANSWER} /logs/verifier/reward.txt
"""


def text_row(row: Row) -> dict[str, Any]:
    return {
        "prompt": "\n\n".join(message["content"] for message in row["prompt"]),
        "level": row["level"],
        "answer": row["answer"],
        **{name: row[name] for name in FIELDS},
    }


def write_tasks(folder: Path, package: str, files: Sequence[str]) -> list[str]:
    """A folder for each row of the data files, in their order."""
    written = []
    for file in files:
        with (folder / file).open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                row = json.loads(line)
                split = Path(file).stem
                name = re.sub(r"[^a-z0-9]+", "-", f"{number:06d}-{row['family']}")
                texts = task_files(row, f"{package}-{split}-{name}".replace("_", "-"))
                for path, text in texts.items():
                    written.append(f"{split}/{name}/{path}")
                    write_text(folder / written[-1], text)
    return written


def task_files(row: Row, name: str) -> dict[str, str]:
    """The files of one task. Gold is in `solution/` alone, which agents do not see."""
    of = {each: row[each] for each in ("family", "uid", "level")}
    return {
        "instruction.md": INSTRUCTION.format(prompt=row["prompt"], answer=ANSWER),
        "task.toml": TASK.format(name=name, answer=ANSWER, **of),
        "environment/Dockerfile": AGENT,
        "solution/solve.sh": SOLVE,
        "solution/answer.txt": f"<answer>{row['answer']}</answer>\n",
        "tests/Dockerfile": VERIFIER,
        "tests/test.sh": TEST,
        "tests/row.json": json.dumps({each: row[each] for each in FIELDS}),
    }


USAGE = """
## Use

Make the verifier's image once, in a clone of Puzzlemill:

```console
$$ docker build -t puzzlemill -f Containerfile .
```

Then

```console
$$ harbor run -p $folder/train -a oracle
$$ harbor run -p $folder/train -a nop
```

The first gives 1 for each task, the second 0. Then name an agent and a model.

- A folder is a task; they come in the order of training. The files `.jsonl` list them, with gold.
- An agent writes its reply to `/app/answer.txt`. It is judged in another container, which alone has
  Puzzlemill: its solvers are not in the agent's.
- No container has a network. An agent that runs inside its container needs one for its model: set
  `network_mode` in `[environment]` of `task.toml`.
- Where the verifier fails it writes no reward, which Harbor counts as an error and not as 0.
"""

EXPORT = Export(
    texts=Format(
        (
            ("prompt", pa.string()), ("level", pa.float64()), ("answer", pa.string()),
            ("uid", pa.string()), ("family", pa.string()), ("version", pa.int32()),
            ("puzzle", pa.string()),
        ),
        text_row,
    ),
    pictures=None,
    usage=USAGE,
    suffix="jsonl",
    finish=write_tasks,
)  # fmt: skip
