"""OpenEnv: a package that serves a build's items, with its client."""

from typing import Any

import pyarrow as pa

from puzzlemill.core.address import PARTS
from puzzlemill.outputs.exports import Export, Format, Row

INSIDE = "tasks"
NUMBERS = ("version", "seed", "index")
COLUMNS = (
    *(
        (part, pa.int64() if part in ("version", "seed", "index") else pa.string())
        for part in PARTS
    ),
    ("level", pa.float64()),
)


def row_of(row: Row) -> dict[str, Any]:
    """The address alone: the server makes the item again. Gold is nowhere in the package."""
    return {name: row[name] for name, _ in COLUMNS}


MANIFEST = """spec_version: 1
name: $package
version: 0.1.0
type: space
runtime: fastapi
app: server.app:app
port: 8000
validation:
  reward:
    range: [0.0, 1.0]
    oracle_tolerance: 0.0
    floor_margin: 0.1
  resources:
    cpu: 1.0
    memory_mb: 4096
    disk_mb: 2048
    episode_timeout_s: 60.0
  capabilities:
    verifier:
      kind: reward_channel
    task_api: true
  network:
    mode: no-network
  types:
    tags: [reasoning]
"""

PROJECT = """[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "openenv-$package"
version = "0.1.0"
requires-python = ">=3.11"
dependencies = ["openenv>=0.10", "puzzlemill[serve]"]

[project.scripts]
server = "$package.server.app:main"

[tool.setuptools]
packages = ["$package", "$package.server"]
package-dir = { "$package" = ".", "$package.server" = "server" }
package-data = { "$package" = ["tasks/*.jsonl", "export.json"] }
"""

INIT = '''"""Puzzlemill's items for OpenEnv: the client."""

from .client import PuzzleEnv
from .models import PuzzleAction, PuzzleObservation

__all__ = ["PuzzleAction", "PuzzleEnv", "PuzzleObservation"]
'''

MODELS = '''"""What a policy says, and what it is shown."""

from typing import Any

from openenv.core.env_server.types import Action, Observation
from pydantic import Field


class PuzzleAction(Action):
    reply: str = Field(description="What the policy says, with the answer between its tags.")


class PuzzleObservation(Observation):
    prompt: str = Field(default="", description="What is asked, or said to the last reply.")
    images: list[dict[str, Any]] = Field(default_factory=list)
'''

CLIENT = '''"""The client: one session on a WebSocket."""

from typing import Any

from openenv.core import EnvClient
from openenv.core.client_types import StepResult
from openenv.core.env_server.types import State

from .models import PuzzleAction, PuzzleObservation


class PuzzleEnv(EnvClient[PuzzleAction, PuzzleObservation, State]):
    def _step_payload(self, action: PuzzleAction) -> dict[str, Any]:
        return {"reply": action.reply}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[PuzzleObservation]:
        shown = payload["observation"]
        reward, done = payload.get("reward"), payload.get("done", False)
        observation = PuzzleObservation(
            prompt=shown["prompt"], images=shown.get("images", []),
            reward=reward, done=done, metadata=shown.get("metadata", {}),
        )
        return StepResult(observation=observation, reward=reward, done=done)

    def _parse_state(self, payload: dict[str, Any]) -> State:
        return State(**payload)
'''

APP = '''"""The server of these tasks: Puzzlemill's own, which speaks OpenEnv."""

from pathlib import Path

from puzzlemill.serving.adapters.openenv import app_of_export, listen_at

FOLDER = Path(__file__).parent.parent
app = app_of_export(FOLDER)


def main() -> None:
    listen_at(FOLDER)  # takes --host and --port


if __name__ == "__main__":
    main()
'''

DOCKERFILE = """# In a clone of Puzzlemill: docker build -t puzzlemill -f Containerfile .
FROM puzzlemill
COPY --chown=puzzlemill . /mill/env
WORKDIR /mill/env
EXPOSE 8000
ENTRYPOINT []
HEALTHCHECK CMD python -c "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/health')"
CMD ["python", "-m", "server.app", "--host", "0.0.0.0"]
"""

USAGE = """
## Use

```console
$$ openenv validate $folder
$$ cd $folder && python -m server.app --port 8000
```

```python
from $package import PuzzleAction, PuzzleEnv  # after pip install -e $folder

with PuzzleEnv(base_url="http://127.0.0.1:8000").sync() as env:
    first = env.reset(split="train", index=0)
    print(first.observation.prompt)
    print(env.step(PuzzleAction(reply="… <answer>…</answer>")).reward)
```

- `tasks/` holds addresses, and no gold: the server makes each item when it is asked for.
- Indices are in the order of training; a seed is an index modulo their count.
- `server/Dockerfile` starts from the image `puzzlemill`, which a clone makes:
  `docker build -t puzzlemill -f Containerfile .`, then `docker build -f server/Dockerfile .` here.
"""

EXPORT = Export(
    texts=Format(COLUMNS, row_of),
    pictures=Format(COLUMNS, row_of),
    usage=USAGE,
    suffix="jsonl",
    inside=INSIDE,
    beside={
        "openenv.yaml": MANIFEST,
        "pyproject.toml": PROJECT,
        "__init__.py": INIT,
        "models.py": MODELS,
        "client.py": CLIENT,
        "server/__init__.py": "",
        "server/app.py": APP,
        "server/Dockerfile": DOCKERFILE,
        "server/requirements.txt": "openenv>=0.10\npuzzlemill[serve]\n",
    },
)
