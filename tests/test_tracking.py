"""Stories whose outcome is known: worked out by hand, or told of in the literature."""

import pytest

from puzzlemill.generators.tracking import (
    beliefs,
    locations,
    needle,
    possessions,
    properties,
    schedules,
)


@pytest.mark.parametrize(
    ("chain", "place"),
    [(("Sally",), "basket"), (("Anne",), "box"), (("Anne", "Sally"), "basket")],
)
def test_sally_looks_for_the_marble_where_she_left_it(chain: tuple[str, ...], place: str) -> None:
    events = (("leave", "Sally"), ("move", "Anne", "marble", "box"), ("enter", "Sally"))
    start, asked = (("marble", "basket"),), ((chain, "marble"),)
    room = beliefs.Room(("Sally", "Anne"), ("basket", "box"), start, events, asked)
    assert beliefs.solve(room) == (("1", place),)
    assert beliefs.verify(room, (("1", place),)) == 1


def test_nobody_suspects_a_secret_watcher_and_a_sender_knows_better() -> None:
    events = (
        ("leave", "Sally"),
        ("watch", "Sally", "Anne", "marble", "box"),
        ("message", "Sally", "Anne", "marble", "jar"),
    )
    chains = (("Sally",), ("Anne",), ("Sally", "Anne"), ("Anne", "Sally"))
    asked = tuple((chain, "marble") for chain in chains)
    start = (("marble", "basket"),)
    room = beliefs.Room(("Sally", "Anne"), ("basket", "box", "jar"), start, events, asked)
    gold = (("1", "box"), ("2", "jar"), ("3", "jar"), ("4", "jar"))
    assert beliefs.solve(room) == gold
    assert beliefs.verify(room, gold) == 1
    without = beliefs.Room(room.people, room.places, start, events[:2], asked)
    unsuspected = (("1", "box"), ("2", "box"), ("3", "box"), ("4", "basket"))
    assert beliefs.solve(without) == unsuspected
    assert beliefs.verify(without, unsuspected) == 1


def test_whoever_has_a_thing_is_meant_at_that_moment() -> None:
    story = locations.Story(
        ("Ann", "Bob", "Cy"),
        ("cup", "key", "map"),
        (("swap", "Ann", "Bob"), ("give", "map", ("with", "cup")), ("round", 1)),
    )
    gold = (("cup", "cy"), ("key", "bob"), ("map", "cy"))
    assert locations.solve(story) == gold
    assert locations.verify(story, gold) == 1


def test_only_things_of_the_kind_are_counted_and_only_those_that_are_there() -> None:
    events = (
        ("start", "Ann", "apple", 4),
        ("start", "Ann", "goat", 3),
        ("start", "Bob", "pear", 5),
        ("idle", "Ann", "plum", 7, 0),
        ("half", "Ann", "Bob", "apple"),
        ("match", "Ann", "plum", "Bob", "pear"),
        ("trade", "Ann", 1, "goat", "Bob", 2, "pear"),
    )
    story = possessions.Story(("Ann", "Bob"), events, ("Ann",), "fruits")
    assert possessions.solve(story) == 2 + 5 + 2
    assert possessions.verify(story, 9) == 1


def test_a_copy_gets_the_next_number_also_after_things_have_gone() -> None:
    edits = (("drop", ("is", "red")), ("copy", ("is", "blue"), "red"))
    tokens = properties.Collection((("blue",), ("blue",), ("red",)), edits, ("is", "red"))
    assert properties.solve(tokens) == (4, 5)
    assert properties.verify(tokens, (4, 5)) == 1
    assert properties.verify(tokens, (3, 4)) == 0


def test_a_break_after_an_appointment_and_another_clock_put_a_meeting_off() -> None:
    calendar = schedules.Calendar(
        people=("Ann", "Bob"),
        hours=((540, 1020), (600, 1080)),
        busy=(((540, 600),), ((660, 720),)),
        ahead=(0, 60),
        rests=(15, 0),
        needed=(),
        enough=2,
        length=60,
    )
    # Bob is busy from 10:00 to 11:00 on Ann's clock, Ann until 10:15.
    assert schedules.solve(calendar) == 11 * 60
    assert schedules.verify(calendar, 11 * 60) == 1


def test_what_somebody_has_given_up_no_longer_counts() -> None:
    statements = (
        ("has", "baker", "instrument", "the cello"),
        ("has", "Bob", "instrument", "the harp"),
        ("job", "Ann", "baker"),
        ("stops", "Ann", "instrument", "the cello"),
        ("idle", "Cy", "instrument", "the banjo", 0),
    )
    wishes = (("instrument", "a string instrument"),)
    haystack = needle.Haystack(("Ann", "Bob", "Cy"), statements, wishes)
    assert needle.solve(haystack) == ("bob",)
    assert needle.verify(haystack, ("bob",)) == 1
    assert needle.verify(haystack, ("ann", "bob")) == 0
