"""Choices: files found by where they lie, and what other packages add."""

import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from puzzlemill.core import choices
from puzzlemill.core.choices import Choices
from puzzlemill.core.errors import UserError


@pytest.fixture
def colours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Choices:
    """A package: red, dark_blue, a helper, a room's settings and a file that sets nothing."""
    home = tmp_path / "palette"
    home.mkdir()
    for name, text in {
        "__init__": "",
        "red": '"""Red: as roses are.\n\nNot as wine."""\nCOLOUR = 1',
        "dark_blue": 'READS = ("shade",)\nCOLOUR = 2',
        "_mixing": "COLOUR = 3",
        "settings": "COLOUR = 5",
        "empty": "",
    }.items():
        (home / f"{name}.py").write_text(text)
    (tmp_path / "elsewhere.py").write_text('READS = ("shade",)\nCOLOUR = 4')
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(choices, "entry_points", lambda group: POINTS.select(group=group))
    choices._modules.cache_clear()
    yield Choices("colour", "palette", "COLOUR", "test.colours")
    choices._modules.cache_clear()
    for module in [name for name in sys.modules if name.startswith(("palette", "elsewhere"))]:
        del sys.modules[module]


POINTS = EntryPoints(
    [
        EntryPoint("green", "elsewhere", "test.colours"),
        EntryPoint("red", "elsewhere", "test.clashing"),
        EntryPoint("grey", "nowhere", "test.broken"),
    ]
)


def test_a_file_is_a_choice_and_so_is_an_entry_point_of_another_package(colours: Choices) -> None:
    assert colours.names() == ("dark_blue", "empty", "green", "red")
    assert [colours.load(name) for name in ("red", "dark_blue", "green")] == [1, 2, 4]


def test_a_misspelt_choice_is_told_without_importing_any(colours: Choices) -> None:
    with pytest.raises(UserError, match=r"x.toml:3: unknown colour 'redd'; did you mean 'red'?"):
        colours.check("redd", "x.toml:3")
    assert "palette.red" not in sys.modules


def test_what_a_file_says_of_itself_is_read_without_importing_it(colours: Choices) -> None:
    assert colours.about("red") == "Red: as roses are."
    assert "palette.red" not in sys.modules


def test_what_other_tools_call_a_choice_is_found_in_what_it_says_of_itself(
    colours: Choices,
) -> None:
    for word in ("roses", "as_roses", "AsRoses"):
        with pytest.raises(UserError, match=f"unknown colour {word!r}; did you mean 'red'"):
            colours.check(word)


def test_the_settings_that_a_file_reads_are_known_without_importing_it(colours: Choices) -> None:
    assert colours.readers("shade") == ("dark_blue",)
    assert colours.readers("gloss") == ()
    assert "palette.dark_blue" not in sys.modules


def test_names_have_hyphens_where_a_folder_is_said_to_have_them(colours: Choices) -> None:
    names = Choices("colour", "palette", "COLOUR", hyphens=True)
    assert "dark-blue" in names.names()
    assert names.load("dark-blue") == 2


def test_a_file_that_sets_nothing_is_named(colours: Choices) -> None:
    with pytest.raises(UserError, match=r"stands for the colour .empty., but sets no"):
        colours.load("empty")


def test_a_choice_of_ours_wins_over_an_entry_point_of_its_name(colours: Choices) -> None:
    clashing = Choices("colour", "palette", "COLOUR", "test.clashing")
    with pytest.warns(UserWarning, match=r"elsewhere .* is left out: there is a colour 'red'"):
        assert clashing.load("red") == 1


def test_an_entry_point_that_leads_nowhere_is_named_when_it_is_chosen(colours: Choices) -> None:
    broken = Choices("colour", "palette", "COLOUR", "test.broken")
    assert broken.load("red") == 1
    with pytest.raises(UserError, match=r"the colour 'grey' of .*nowhere"):
        broken.load("grey")
