"""Small things that all panels of a page are made of."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable
from typing import Any

NOTHING = "\u2060—"
"""What a list says where nothing is chosen; no part can have this name, because it has a character that cannot be seen."""

MUTED, WRONG = "#868e96", "#c92a2a"


def heard(post: Callable[..., object], task: Callable[..., object], *given: Any) -> Callable[[Any], Any]:
    """A callback that has something done with a new value, in the thread of the page, in order.

    The value is that of the moment: the page may have set another one by the time that it comes to it. What the page itself has
    set is not heard.
    """

    async def passed(event: Any) -> None:
        if event.client is not None:
            post(task, *given, event.target.value)

    return passed


def within(value: float, least: float, most: float) -> float:
    """A number that a slider can have; Python, or a page that is no page of ours, may have set another one."""
    return min(float(value), most) if value >= least else least


def text(words: str) -> str:
    """Words as HTML that shows them as they are."""
    return html.escape(words, quote=True)


def block(content: str, style: str = "") -> str:
    """HTML as a paragraph that fits into a panel."""
    look = f"margin: 0.3em 0.9em 0.5em; font-size: 0.85em; line-height: 1.4; overflow-wrap: anywhere; {style}"
    return f'<div style="{look}">{content}</div>'


def paragraphs(lines: Iterable[str], style: str = "") -> str:
    """Lines of words, one under the other."""
    return block("<br>".join(text(line) for line in lines), style)


_COPY = (
    "const code = this.parentElement.querySelector('pre').textContent;"
    "const told = (words) => { this.textContent = words; setTimeout(() => { this.textContent = 'Copy'; }, 1500); };"
    "if (navigator.clipboard) { navigator.clipboard.writeText(code).then(() => told('Copied'), () => told('Not allowed')); }"
    "else { const range = document.createRange(); range.selectNodeContents(this.parentElement.querySelector('pre'));"
    "const chosen = getSelection(); chosen.removeAllRanges(); chosen.addRange(range);"
    "told(document.execCommand('copy') ? 'Copied' : 'Press Ctrl-C'); }"
)


def copied_code(code: str, height: str = "16em") -> str:
    """Code with a button that copies it."""
    look = f"margin: 0.4em 0 0; padding: 0.6em; max-height: {height}; overflow: auto; border-radius: 4px"
    look += "; background: #f1f3f5; color: #212529"
    button = (
        "border: 1px solid #ced4da; border-radius: 4px; background: #fff; color: #212529; padding: 0.1em 0.8em; cursor: pointer"
    )
    return block(
        f'<button type="button" style="{button}" onclick="{text(_COPY)}">Copy</button>'
        f'<pre style="{look}; font-size: 0.92em; white-space: pre; overflow-wrap: normal">{text(code)}</pre>'
    )
