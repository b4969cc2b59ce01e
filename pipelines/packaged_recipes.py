"""The recipes that come with the package, found by name where there is no such file."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "recipes"  # in a checkout and in a wheel
DEPLOYMENTS = FOLDER / "prefect.yaml"


def packaged_names() -> list[str]:
    """As `demo` and `papers/pav`."""
    paths = FOLDER.rglob("*.toml")
    return sorted(
        (path.relative_to(FOLDER).with_suffix("").as_posix() for path in paths),
        key=lambda name: ("/" in name, name),
    )


def packaged_recipe(path: Path) -> Path | None:
    """The recipe meant by demo, demo.toml or recipes/demo.toml; None where it is another's name."""
    parts = path.parts[1:] if path.parts[:1] == (FOLDER.name,) else path.parts
    name = "/".join(parts).removesuffix(".toml")
    return FOLDER / f"{name}.toml" if name in packaged_names() else None


def about_recipe(name: str) -> str:
    """What the comment at its head says first."""
    with (FOLDER / f"{name}.toml").open(encoding="utf-8") as file:
        return next(file).lstrip("# ").strip()
