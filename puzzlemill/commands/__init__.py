"""The commands of `puzzlemill`: a file here is a command, the function of the file's name."""

import pkgutil
from collections.abc import Callable
from importlib import import_module

# Of `puzzlemill --help`: as a dataset comes about. A command that is not named stands at the end.
ORDER = (
    "families",
    "preview",
    "sheet",
    "audit",
    "init",
    "recipes",
    "schema",
    "build",
    "fetch",
    "rescore",
    "rejudge",
    "cascade",
    "contamination",
    "regenerate",
    "train",
    "loop",
    "average",
    "export",
    "pilots",
    "mix",
    "publish",
    "verify_build",
    "view",
    "serve",
    "eval",
    "leaderboard",
    "train_tiny",
)


def commands() -> list[Callable[..., None]]:
    """All commands, in the order of the help. Each imports its room when it is run."""
    files = [file.name for file in pkgutil.iter_modules(__path__) if not file.name.startswith("_")]
    places = {name: place for place, name in enumerate(ORDER)}
    files.sort(key=lambda name: (places.get(name, len(ORDER)), name))
    return [getattr(import_module(f"{__name__}.{name}"), name) for name in files]
