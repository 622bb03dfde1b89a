"""One HTML file that plays a film: a player of our own, the film's numbers, and nothing from elsewhere.

Names are in the file as JSON, in which no character can end a script, and the player puts them on the page as text. A policy
in the file forbids all requests, and all scripts but the player itself.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from ..errors import ModelError, printable
from .film import Film
from .packing import packed
from .staging import staged

SCRIPTS = ("numbers", "algebra", "film", "shaders", "painter", "camera", "timeline", "words", "player")
"""The files of the player, in the order in which they are joined to one script."""
_MARK = re.compile(r"\{\{(\w+)\}\}")
_ESCAPED = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


@dataclass(frozen=True)
class Showing:
    """How a page shows a film at first; a reader can change all of it."""

    title: str = ""
    azimuth: float = 35.0
    elevation: float = 15.0
    slower: float = 1.0
    follow: bool | None = None
    """Whether the camera follows the centre of mass; None: where that goes far."""
    autoplay: bool = False
    loop: bool = False
    theme: str = "auto"
    """"auto", as the reader's system has it, "light" or "dark"."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.azimuth) and -90.0 <= self.elevation <= 90.0):
            raise ModelError(
                f"elevation must be from -90 to 90 degrees, and azimuth a number, not {self.elevation} and {self.azimuth}."
            )
        if not 0.0 < self.slower < math.inf:
            raise ModelError(f"slower must be positive, not {self.slower!r}.")
        if self.theme not in ("auto", "light", "dark"):
            raise ModelError(f'theme is "auto", "light" or "dark", not {self.theme!r}.')


def page_of(film: Film, showing: Showing) -> tuple[str, tuple[str, ...]]:
    """The whole text of a file, and what there is to tell of it."""
    header, tables, told = staged(film)
    layout, numbers = packed(tables)
    follow = header.pop("follows") if showing.follow is None else showing.follow and header["place"]["mass"]
    header |= {
        "tables": layout,
        "told": list(map(printable, told)),
        "title": printable(showing.title),
        "azimuth": showing.azimuth,
        "elevation": showing.elevation,
        "slower": showing.slower,
        "follow": bool(follow),
        "autoplay": showing.autoplay,
        "loop": showing.loop,
    }
    style, script = part("player.css"), player_script()
    policy = f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; base-uri 'none'; form-action 'none'"
    words = {
        "title": escape(printable(showing.title or "A motion")),
        "policy": escape(policy),
        "theme": showing.theme,
        "style": style,
        "script": script,
        "film": as_json(header),
        "numbers": numbers,
    }
    return filled(part("player.html"), words), told


def framed(text: str, title: str, height: int) -> str:
    """A page within another one, which it cannot reach; `height` is in pixels."""
    return (
        f'<iframe title="{escape(printable(title))}" sandbox="allow-scripts" loading="lazy" srcdoc="{escape(text)}" '
        f'style="display: block; width: 100%; height: {height}px; border: 1px solid #8886; border-radius: 8px"></iframe>'
    )


def as_json(value: Any) -> str:
    """JSON for the inside of a script element: ASCII without <, > and &, whatever the names are."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":")).translate(_ESCAPED)


def filled(template: str, words: dict[str, str]) -> str:
    """A template with words in place of its marks; marks within words stay what they are."""
    return _MARK.sub(lambda mark: words[mark[1]], template)


@cache
def part(name: str) -> str:
    """A file of the player."""
    return (files(__package__) / "player" / name).read_text(encoding="utf-8")


@cache
def player_script() -> str:
    """All scripts as one, whose names are nobody else's."""
    inside = "\n".join(part(f"{name}.js") for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{inside}\n}})();\n'


def _hash(text: str) -> str:
    """The source expression of a policy that allows this text and no other."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
