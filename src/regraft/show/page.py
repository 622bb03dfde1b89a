"""A page as one HTML file that needs nothing else: pictures and motions are inside it, and it follows the reader's theme."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from ..atomic import writing
from .player_page import framed

_HEIGHT = 560  # pixels, of a motion
_CSS = """
:root { color-scheme: light dark; --ink: #1f2328; --soft: #59636e; --paper: #ffffff; --line: #d5dae0; --tint: #f4f6f8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaed; --soft: #a0a8b2; --paper: #16191d; --line: #363c44; --tint: #1f2429; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .5rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem; padding-top: 1rem; border-top: 1px solid var(--line); }
p { max-width: 46rem; }
.lead { font-size: 1.1rem; color: var(--soft); margin-top: 0; }
.outcome { background: var(--tint); border-left: 4px solid #0072B2; padding: .75rem 1rem; border-radius: 4px; }
figure { margin: 1.25rem 0; }
figure img { display: block; max-width: 100%; height: auto; margin: 0 auto; background: #fff; border: 1px solid var(--line);
  border-radius: 8px; padding: .75rem; }
figcaption { color: var(--soft); font-size: .92rem; margin-top: .6rem; max-width: 46rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92rem; }
th, td { padding: .35rem .9rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { background: var(--tint); font-weight: 600; }
th:first-child, td:first-child { text-align: left; }
code { background: var(--tint); padding: .1rem .3rem; border-radius: 4px; }
"""


class Picture(NamedTuple):
    """A picture of the page, or a motion: its section, its file, what it shows, and what there is to say of it."""

    section: str
    file: str
    shows: str
    caption: str


def write_page(path: Path, title: str, lead: str, *parts: str) -> Path:
    """Write the whole file."""
    text = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_CSS}</style>\n</head>\n<body>\n<main>\n"
        f'<h1>{escape(title)}</h1>\n<p class="lead">{escape(lead)}</p>\n' + "\n".join(parts) + "\n</main>\n</body>\n</html>\n"
    )
    with writing(path) as beside:
        beside.write_text(text, encoding="utf-8")
    return path


def heading(text: str) -> str:
    """The heading of a section."""
    return f"<h2>{escape(text)}</h2>"


def paragraph(text: str, sort: str = "") -> str:
    """A paragraph; `sort` names its style."""
    return f'<p class="{escape(sort)}">{escape(text)}</p>' if sort else f"<p>{escape(text)}</p>"


def picture(path: Path, shows: str, caption: str) -> str:
    """A .png picture, or a motion that is an .html file, put into the text itself; `shows` is for those who cannot see it."""
    if path.suffix == ".html":
        shown = framed(path.read_text(encoding="utf-8"), shows, _HEIGHT)
    else:
        data = base64.b64encode(path.read_bytes()).decode("ascii")
        shown = f'<img alt="{escape(shows)}" src="data:image/png;base64,{data}">'
    return f"<figure>{shown}<figcaption>{escape(caption)}</figcaption></figure>"


def pictures(folder: Path, shown: Sequence[Picture]) -> list[str]:
    """Pictures from a folder, with the headings of their sections."""
    parts = []
    for section, file, shows, caption in shown:
        parts += [heading(section)] if section else []
        parts.append(picture(folder / file, shows, caption))
    return parts


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; without headings where there are none."""
    top = "<thead><tr>" + "".join(f"<th>{escape(name)}</th>" for name in headings) + "</tr></thead>" if headings else ""
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="scroll"><table>{top}<tbody>{body}</tbody></table></div>'
