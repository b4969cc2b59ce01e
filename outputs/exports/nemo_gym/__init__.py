"""NeMo Gym: an environment's folder, with its resources server, rows and examples."""

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pyarrow as pa

from puzzlemill.core.errors import UserError
from puzzlemill.core.storage.files import write_json, write_text
from puzzlemill.outputs.exports import COMMON, Export, Format, Row, common

EXAMPLES = 5  # rows, as they ask
COLUMNS = (("responses_create_params", pa.string()), *COMMON)  # JSON lines have no types


def text_row(row: Row) -> dict[str, Any]:
    return _asked(list(row["prompt"]), row)


def picture_row(row: Row) -> dict[str, Any]:
    """Pictures after the text, which marks their places."""
    *before, last = row["prompt"]
    pictures = [
        {
            "type": "input_image",
            "image_url": f"data:image/png;base64,{b64encode(image['bytes']).decode()}",
            "detail": "auto",
        }
        for image in row["images"]
    ]
    content = [{"type": "input_text", "text": last["content"]}, *pictures]
    messages = [*before, {"role": last["role"], "content": content}]
    return _asked(messages, row)


def _asked(messages: Sequence[Any], row: Row) -> dict[str, Any]:
    fields = {"responses_create_params": {"input": messages}, **common(row)}
    return {name: fields[name] for name, _ in COLUMNS}


def write_examples(folder: Path, package: str, files: Sequence[str]) -> list[str]:
    """The first rows, their statistics, and replies to them with their rewards."""
    train = next((name for name in files if Path(name).stem == "train"), files[0])
    with (folder / train).open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line, _ in zip(lines, range(EXAMPLES))]
    if len(rows) < EXAMPLES:
        raise UserError(f"nemo-gym wants {EXAMPLES} example rows, and {train} has {len(rows)}")
    data = Path(train).parent
    texts = {
        "example.jsonl": _lines(rows),
        "example_rollouts.jsonl": _lines([rollout(row, place) for place, row in enumerate(rows)]),
    }
    for name, text in texts.items():
        write_text(folder / data / name, text)
    write_json(folder / data / "example_metrics.json", metrics_of(rows, package))
    return [str(data / name) for name in (*texts, "example_metrics.json")]


def _lines(rows: Sequence[Mapping[str, Any]]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def rollout(row: Row, place: int) -> dict[str, Any]:
    """A reply, right or none by turns, as their servers hand it on, with its verdict."""
    from puzzlemill.outputs.rewards import score

    reply = "I do not know." if place % 2 else f"<answer>{row['answer']}</answer>"
    verdict = score(row, reply)
    part = {"type": "output_text", "text": reply, "annotations": []}
    message = {
        "id": f"msg_{place}", "type": "message", "role": "assistant", "status": "completed",
        "content": [part],
    }  # fmt: skip
    response = {
        "id": f"resp_{place}", "created_at": 0.0, "model": "oracle", "object": "response",
        "output": [message], "parallel_tool_calls": False, "tool_choice": "auto", "tools": [],
    }  # fmt: skip
    return {**row, "response": response, "reward": verdict["score"], **verdict}


def metrics_of(rows: Sequence[Row], package: str) -> dict[str, Any]:
    """What their `dataset collate` would write of the examples."""
    asked = [row["responses_create_params"] for row in rows]
    others = sorted({name for row in rows for name in row} - {"responses_create_params"})
    return {
        "name": "example",
        "type": "example",
        "jsonl_fpath": f"resources_servers/{package}/data/example.jsonl",
        "num_repeats": 1,
        "Number of examples": len(rows),
        "Number of tools": _statistics([]),
        "Json-dumped number of words (proxy for token count)": _statistics(
            [len(json.dumps(each).split()) for each in asked]
        ),
        "Number of turns": _statistics(
            [sum(message["role"] == "user" for message in each["input"]) for each in asked]
        ),
        "Temperature": _statistics([]),
    } | {name: each for name in others if (each := _of_column([row[name] for row in rows]))}


def _of_column(values: Sequence[Any]) -> dict[str, Any]:
    texts = Counter(value for value in values if isinstance(value, str))
    if texts:
        return {"unique_count": len(texts), "total_count": texts.total()}
    numbers = [float(value) for value in values if isinstance(value, int | float)]
    return _statistics(numbers) if numbers else {}


def _statistics(values: Sequence[float]) -> dict[str, Any]:
    return {
        "Total # non-null values": len(values),
        "Average": _rounded(fmean(values) if values else 0.0),
        "Min": _rounded(min(values, default=0.0)),
        "Max": _rounded(max(values, default=0.0)),
        "Standard deviation": _rounded(stdev(values) if len(values) > 1 else 0.0),
    }


def _rounded(value: float) -> float:
    return round(float(value), 2 if abs(value) >= 1 else 3)


APP = '''"""The resources server of these rows; the code is Puzzlemill's."""

from puzzlemill.outputs.exports.nemo_gym.reward import Puzzles

__all__ = ["Puzzles"]

if __name__ == "__main__":
    Puzzles.run_webserver()
'''

TEST = '''"""The examples' rollouts are judged again."""

import asyncio
import json
from pathlib import Path

from nemo_gym.base_resources_server import BaseResourcesServerConfig
from nemo_gym.server_utils import ServerClient

from puzzlemill.outputs.exports.nemo_gym.reward import Puzzles, Request

ROLLOUTS = Path(__file__).parent.parent / "data" / "example_rollouts.jsonl"


def test_rollouts_earn_what_is_written() -> None:
    config = BaseResourcesServerConfig(host="", port=0, entrypoint="app.py", name="$package")
    server = Puzzles.model_construct(config=config, server_client=ServerClient.model_construct())
    for line in ROLLOUTS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found = asyncio.run(server.verify(Request.model_validate(row)))
        assert (found.reward, found.status) == (row["reward"], row["status"])
'''

CONFIG = """$package:
  resources_servers:
    $package:
      entrypoint: app.py
      domain: games
      verified: false
      description: Certified reasoning problems of Puzzlemill, judged by their rules
      value: Improve reasoning

${package}_simple_agent:
  responses_api_agents:
    simple_agent:
      entrypoint: app.py
      resources_server:
        type: resources_servers
        name: $package
      model_server:
        type: responses_api_models
        name: policy_model
      datasets:
      - name: train
        type: train
        jsonl_fpath: resources_servers/$package/data/train.jsonl
        license: Apache 2.0
      - name: example
        type: example
        jsonl_fpath: resources_servers/$package/data/example.jsonl
"""

MANIFEST = """name: $package
version: 0.1.0
kind: environment
integration_profile: custom-gym-verifier
domain: games
description: Certified reasoning problems of Puzzlemill, judged by their rules.
modality: text
licensing: unknown
authors: [Puzzlemill]
reward: {range: [0.0, 1.0], higher_is_better: true}
determinism: seeded
resources_server: $package
agent_server: simple_agent
model_server: policy_model
session_model: episode
state: none
datasets:
- {name: train, type: train, jsonl_fpath: resources_servers/$package/data/train.jsonl}
- {name: example, type: example, jsonl_fpath: resources_servers/$package/data/example.jsonl}
"""

USAGE = """
## Use

In this folder, with Puzzlemill installed beside `nemo-gym` (`requirements.txt` asks for both):

```console
$$ gym env validate --config resources_servers/$package/configs/$package.yaml
$$ gym env start --config resources_servers/$package/configs/$package.yaml --model-type openai_model
```

- Verification is stateless: the row holds the puzzle. `gym eval reverify` judges rollouts again.
- `example_rollouts.jsonl` holds the gold answer and no answer by turns, not a model's replies.
- `manifest.yaml` is for versions of NeMo Gym that read one. Set its `licensing` and that of the
  config to your own.
"""

_SERVER = "resources_servers/$package"

EXPORT = Export(
    texts=Format(COLUMNS, text_row),
    pictures=Format(COLUMNS, picture_row),
    usage=USAGE,
    suffix="jsonl",
    inside=f"{_SERVER}/data",
    beside={
        f"{_SERVER}/__init__.py": "",
        f"{_SERVER}/app.py": APP,
        f"{_SERVER}/README.md": "See the README of the export.\n",
        f"{_SERVER}/requirements.txt": "nemo-gym>=0.4\npuzzlemill\n",
        f"{_SERVER}/configs/$package.yaml": CONFIG,
        f"{_SERVER}/manifest.yaml": MANIFEST,
        f"{_SERVER}/tests/__init__.py": "",
        f"{_SERVER}/tests/test_app.py": TEST,
    },
    finish=write_examples,
)
