"""Contacts over changes of structure: each keeps its name, and rests while one of its parts is not there."""

from __future__ import annotations

from collections.abc import Sequence

from ...describe.contacts import Contact
from ...describe.mechanism import Mechanism
from ...describe.parts import WORLD
from ...structure.contacts import GROUND, contact_names, points_of


def named(mech: Mechanism, contacts: Sequence[Contact]) -> tuple[Contact, ...]:
    """The contacts of a run that starts with a mechanism, each with its name; an error where one of them cannot be there."""
    found = tuple(
        Contact(
            contact.a, contact.b, friction=contact.friction, restitution=contact.restitution, law=contact.law, name=name,
            velocity=contact.velocity,
        )
        for contact, name in zip(contacts, contact_names(contacts), strict=True)
    )  # fmt: skip
    if found:
        points_of(mech, found)
    return found


def contacts_in(mech: Mechanism, contacts: Sequence[Contact]) -> list[Contact]:
    """Those of some contacts whose parts a mechanism has."""
    return [contact for contact in contacts if all(_has(mech, part) for part in (contact.a, contact.b))]


def _has(mech: Mechanism, part: str) -> bool:
    return part in (WORLD, GROUND) or part in mech.frames or part in mech.shapes or part in mech.bodies
