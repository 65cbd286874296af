"""How a CSV file is written, as far as somebody told, and what was read of a file of any kind."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from covey.base.errors import InputError
from covey.verifier.tables.names import Names, refuse_repeats

__all__ = ["FileRead", "Written"]


@dataclass(frozen=True, slots=True)
class FileRead:
    """A table as a file holds it."""

    name: str
    """How the file is called in messages."""
    table: pa.Table
    names: tuple[str, ...]
    """All columns of the file, those that were not loaded too."""
    typed: bool
    """False for CSV, whose cells are text."""
    separator: str | None = None
    """What stands between the cells of a CSV."""


@dataclass(frozen=True, slots=True)
class Written:
    """What was told of a CSV file; None is to be found out."""

    separator: str | None = None
    encoding: str | None = None
    header: bool | None = None
    """None: there is one, unless it looks like data."""
    names: tuple[str, ...] | None = None
    """The columns of a file without a header."""
    possible: tuple[Names, ...] = ()
    """What they may be; the first that fit the number of cells count."""
    quasi: tuple[str, ...] = ()
    """Columns that the file must have, under their names or as two bounds."""
    likely: tuple[str, ...] = ()
    """Separators that the file may well have, the likeliest first; they count only where they fit."""
    decimal: str = "."
    trims: bool = False
    """Whether blanks around cells are left out; never so in a published file."""
    blank_after: bool = False
    """Whether exactly one blank after each separator is left out, if every cell has it."""

    def __post_init__(self) -> None:
        mark = self.separator
        if mark is not None and (len(mark) != 1 or not mark.isascii() or mark in '"\r\n\0'):
            raise InputError(
                "the separator must be one ASCII character that is neither a quote nor a line end",
                code="bad-separator",
                hint='give for example "," or ";" or a tab',
            )
        if self.decimal not in (".", ","):
            raise InputError("the decimal mark must be `.` or `,`", code="bad-decimal", hint="give one of both")
        if self.encoding is not None and not _is_encoding(self.encoding):
            raise InputError(
                f"there is no encoding `{self.encoding}`",
                code="unknown-encoding",
                hint="give a name that Python knows, for example utf-8, latin-1, cp1252 or utf-16",
            )
        if self.names is not None:
            _check_names(self.names, self.header)

    @classmethod
    def told(cls, table: Mapping[str, Any]) -> Written:
        """Return what the table `csv` of a job, or the command line, tells of the original.

        >>> Written.told({"separator": ", "}).trims
        True
        """
        mark = table.get("separator")
        mark = "\t" if mark in ("tab", "\\t") else mark
        spaced = mark is not None and len(mark) == 2 and mark.endswith(" ")
        return cls(
            separator=mark[0] if mark and spaced else mark,
            encoding=table.get("encoding"),
            header=table.get("header"),
            names=tuple(table["names"]) if table.get("names") else None,
            decimal=table.get("decimal") or ".",
            trims=bool(table.get("skip_blanks")) or spaced,
        )

    def as_published(
        self, possible: tuple[Names, ...] = (), quasi: tuple[str, ...] = (), likely: tuple[str, ...] = ()
    ) -> Written:
        """Return how a published file is read whose original is written so.

        Its separator and encoding are its own, and no cell of it is ever trimmed.
        """
        return replace(
            self, separator=None, encoding=None, names=None, possible=possible, quasi=quasi, likely=likely,
            trims=False, blank_after=self.trims,
        )  # fmt: skip


def _is_encoding(name: str) -> bool:
    try:
        known = codecs.lookup(name)
    except (LookupError, ValueError):
        return False
    return bool(getattr(known, "_is_text_encoding", True))  # `hex` and `zip` turn bytes into bytes


def _check_names(names: tuple[str, ...], header: bool | None) -> None:
    if header is not False:
        raise InputError(
            "names of columns were given for a file with a header",
            code="bad-names",
            hint="say that the file has no header, or leave the names out",
        )
    refuse_repeats(names, "names of columns were given more than once")
    if not all(names):
        raise InputError("an empty name was given for a column", code="bad-names", hint="give every column a name")
