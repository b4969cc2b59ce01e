"""verifiers and prime-rl: a taskset, as a package that can be installed."""

from typing import Any

import pyarrow as pa

from puzzlemill.core.rows import IMAGE, MESSAGE
from puzzlemill.outputs.exports import COMMON, Export, Format, Row, common


def text_row(row: Row) -> dict[str, Any]:
    return {"prompt": row["prompt"], **common(row)}


def picture_row(row: Row) -> dict[str, Any]:
    return text_row(row) | {"images": row["images"]}


MODULE = '''"""A taskset of Puzzlemill's; its rows lie beside this file."""

from puzzlemill.outputs.exports.verifiers import reward

__all__ = ["Puzzles"]


class Puzzles(reward.Puzzles):
    """The rows of `taskset.file`, in their order."""
'''

PROJECT = """[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "$package"
version = "0.1.0"
requires-python = ">=3.11"
dependencies = ["puzzlemill", "verifiers>=0.4"]

[tool.setuptools]
packages = ["$package"]
package-data = { "$package" = ["*.parquet"] }
"""

USAGE = """
## Training

```console
$$ pip install -e $folder
```

Then the taskset's id is `$name`. In a configuration of prime-rl:

```toml
[[orchestrator.train.source]]
env = { taskset = { id = "$name", file = "$file" } }
```

- Tasks come in the file's order, and their `key` is the item's uid, by which a trainer's own
  curriculum keeps what it learns.
- From Python: `from $package import Puzzles`. `load_environment` of verifiers finds it by its id.
- Rows with pictures are in files of their own, for models that see.
"""

EXPORT = Export(
    texts=Format((("prompt", pa.list_(MESSAGE)), *COMMON), text_row),
    pictures=Format(
        (("prompt", pa.list_(MESSAGE)), ("images", pa.list_(IMAGE)), *COMMON), picture_row
    ),
    inside="$package",
    beside={"pyproject.toml": PROJECT, "$package/__init__.py": MODULE},
    usage=USAGE,
)
