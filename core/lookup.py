"""Lookup: the item at an address that somebody has, from a row, a log or another machine."""

import json
from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import Any

from puzzlemill.core import registry
from puzzlemill.core.address import PARTS, Address, check_split, whole_number
from puzzlemill.core.errors import UserError, shown
from puzzlemill.core.family import AnyFamily, levels, wording
from puzzlemill.core.item import Item, address_of, knobs_of, make
from puzzlemill.core.knobs import turned
from puzzlemill.core.plain_data import canonical_json, names

Given = Address | Mapping[str, Any] | str  # a str: a mapping as JSON, or `Address.key`


def item_at(given: Given, level: float | None = None) -> Item:
    """The item at an address.

    An address does not tell the level. It is the argument, or the row's column, or else the lowest
    at which the ladder has these knobs, in hundredths.
    """
    columns = _columns(given)
    address = _address(columns)
    family = registry.family(address.family)
    if address.version != family.version:
        raise UserError(
            f"the address is of version {address.version} of {family.name}, but this is version"
            f" {family.version}: make it with the Puzzlemill that it comes from"
        )
    check_split(address.split)
    address = replace(address, knobs=_knobs(family, address.knobs))
    level = columns.get("level") if level is None else level
    item = make(family, address, _level(family, address, level))
    if columns.get("uid", item.uid) != item.uid:
        fault = f"the uid {shown(columns['uid'])} does not follow from its address"
        raise UserError(f"{fault}, which gives {item.uid}")
    return item


def is_uid(given: Any) -> bool:
    """Whether it is the bare uid of an item, a digest of which nothing can be made."""
    return isinstance(given, str) and not given.lstrip().startswith(("{", "["))


def _columns(given: Any) -> Mapping[str, Any]:
    if is_uid(given):
        raise UserError(
            f"{shown(given)} is no address, and a uid is a digest of one: give the item's row or"
            " its address, or with build= the build that has it"
        )
    if isinstance(given, Address):
        return {part: getattr(given, part) for part in PARTS}
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            raise UserError(f"{shown(given)} is no address: it is no JSON") from None
    if isinstance(given, list) and len(given) == len(PARTS):
        return dict(zip(PARTS, given, strict=True))
    if not isinstance(given, Mapping):
        raise UserError(f"an address is an Address, a row or either as JSON, not {shown(given)}")
    return given


def _address(columns: Mapping[str, Any]) -> Address:
    if missing := [part for part in PARTS if columns.get(part) is None]:
        raise UserError(f"an address has {', '.join(PARTS)}; {missing[0]!r} is missing")
    knobs = columns["knobs"]
    return Address(
        family=columns["family"],
        version=whole_number("version", columns["version"]),
        knobs=canonical_json(dict(knobs)) if isinstance(knobs, Mapping) else knobs,
        split=columns["split"],
        seed=whole_number("seed", columns["seed"]),
        index=whole_number("index", columns["index"]),
    )


def _knobs(family: AnyFamily, text: Any) -> str:
    """The knobs as an address has them, each in the range of the ladder."""
    try:
        by_hand = json.loads(text)
    except (TypeError, ValueError):
        by_hand = None
    if not isinstance(by_hand, dict):
        raise UserError(f"knobs are names with their values as JSON, not {shown(text)}")
    if missing := [name for name in names(type(family.ladder[0])) if name not in by_hand]:
        raise UserError(f"an address tells all knobs of {family.name}; {missing[0]!r} is missing")
    knobs = turned(family.ladder[0], family.ladder, by_hand)
    return address_of(family, knobs, phrasings=wording(by_hand)).knobs


def _level(family: AnyFamily, address: Address, level: Any) -> float:
    if level is not None:
        if not isinstance(level, Real) or not 0 <= float(level) <= 1:
            raise UserError(f"level is a number from 0 to 1, not {shown(level)}")
        return float(level)
    knobs = knobs_of(family, address)
    for each in sorted({*levels(family), *(hundredth / 100 for hundredth in range(101))}):
        if family.at(each) == knobs:
            return each
    raise UserError(f"no level of {family.name} has the knobs {address.knobs}: say level=")
