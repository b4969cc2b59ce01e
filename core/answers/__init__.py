"""Answer kinds: reading an answer strictly in meaning and leniently in form, and writing it.

They are listed in `__init__.pyi`, and loaded when first asked for: to compile the patterns of all
takes longer than everything else that `import puzzlemill` does.
"""

import pathlib  # as a name of its own: Path is an answer kind
import re
from importlib import import_module
from typing import Any

_LISTED = re.findall(
    r"^from (\S+) import \(?([^()]+?)\)?$",
    pathlib.Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"),
    re.MULTILINE,
)
_HOMES = {name: home for home, names in _LISTED for name in re.findall(r"\w+", names)}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"there is no answer kind {name!r}")
    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return found


def __dir__() -> list[str]:
    return __all__
