"""How the demonstrations speak: progress bars, tables, and what was found and written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text


def progress_bars(console: Console) -> Progress:
    """Bars that are gone when all is done, and that are not shown where there is no terminal."""
    columns = TextColumn("{task.description:18}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def narrow_table(title: str, headings: Sequence[str], rows: Iterable[Sequence[str]], words: Sequence[str] = ()) -> Table:
    """A table that fits 80 columns; `words` are the headings of columns that hold words, not numbers."""
    narrow: dict[str, Any] = {"box": box.SIMPLE_HEAD, "show_edge": False, "pad_edge": False, "padding": (0, 1, 0, 0)}
    table = Table(title=title, title_justify="left", **narrow)
    for name in headings:
        table.add_column(name, justify="left" if name in words else "right")
    for row in rows:
        table.add_row(*row)
    return table


def tell(console: Console, table: Table, lines: Iterable[str], files: Iterable[Path], warns: bool = False) -> None:
    """The table, what there is to say, and which files were written."""
    console.print(table)
    console.print()
    for line in lines:
        console.print(Text(line, style="yellow" if warns else ""), soft_wrap=True)
    for path in files:
        console.print(Text(f"wrote {path}"), soft_wrap=True)
