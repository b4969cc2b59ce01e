"""What the shell completes: families, builds, recipes. Nothing is loaded but their names."""

from collections.abc import Iterator
from pathlib import Path

from puzzlemill.core import registry

BUILDS = Path("builds")


def families(incomplete: str) -> list[str]:
    return [name for name in registry.names() if name.startswith(incomplete)]


def categories(incomplete: str) -> list[str]:
    return [name for name in registry.categories() if name.startswith(incomplete)]


def families_and_categories(incomplete: str) -> list[str]:
    return [*categories(incomplete), *families(incomplete)]


def builds(incomplete: str) -> list[str]:
    """Folders of builds, where they usually are, and what else a path may go on with."""
    found = [path for path in BUILDS.glob("*") if (path / "recipe.json").is_file()]
    return _names([*found, *_begun(incomplete)], incomplete)


def recipes(incomplete: str) -> list[str]:
    """Recipe files, and names of the package's own."""
    from puzzlemill.pipelines.packaged_recipes import packaged_names

    begun = [path for path in _begun(incomplete) if path.is_dir() or path.suffix == ".toml"]
    ours = [name for name in packaged_names() if name.startswith(incomplete)]
    return [*_names(begun, incomplete), *ours]


def builds_and_recipes(incomplete: str) -> list[str]:
    return list(dict.fromkeys([*builds(incomplete), *recipes(incomplete)]))


def _begun(incomplete: str) -> Iterator[Path]:
    """The paths that begin so, without those that are hidden."""
    folder = Path(incomplete if incomplete.endswith("/") else Path(incomplete).parent)
    if folder.is_dir():
        yield from (path for path in folder.iterdir() if not path.name.startswith("."))


def _names(paths: list[Path], incomplete: str) -> list[str]:
    names = (f"{path}/" if path.is_dir() and not _is_build(path) else str(path) for path in paths)
    return sorted({name for name in names if name.startswith(incomplete)})


def _is_build(path: Path) -> bool:
    return (path / "recipe.json").is_file()
