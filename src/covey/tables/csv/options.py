"""How a CSV file is written: given by the user, or found by looking at the file."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from covey.base.errors import InputError
from covey.tables.names import refuse_repeats

__all__ = ["CsvOptions", "options_told"]


@dataclass(frozen=True, slots=True)
class CsvOptions:
    """How a CSV file is written; None means: find out.

    >>> CsvOptions(separator=";", decimal=",").header
    True
    """

    separator: str | None = None
    """One ASCII character; found among comma, semicolon, tab and bar if not given."""
    encoding: str | None = None
    """A name that Python knows; found by its byte order mark, else UTF-8."""
    header: bool = True
    """Whether the first row holds the names of the columns."""
    trust_header: bool = False
    """Whether the first row is taken for names even if it looks like data."""
    skip_blanks: bool = False
    """Whether blanks around cells are left out, as in files written with `, ` between cells."""
    names: tuple[str, ...] | None = None
    """Names of the columns of a file without a header; `c1`, `c2`, ... if not given."""
    decimal: str = "."
    """The decimal mark of numbers; only a hint here, cells stay text."""

    def __post_init__(self) -> None:
        mark = self.separator
        if mark is not None and not (len(mark) == 1 and mark.isascii() and mark not in '"\r\n\0'):
            raise InputError(
                "the separator must be one ASCII character that is neither a quote nor a line end",
                code="bad-separator",
                hint='give for example "," or ";" or a tab',
            )
        if self.decimal not in (".", ","):
            raise InputError("the decimal mark must be `.` or `,`", code="bad-decimal", hint="give one of both")
        if self.encoding is not None:
            _check_encoding(self.encoding)
        if self.names is not None:
            _check_names(self.names, self.header)

    def as_told(self) -> dict[str, Any]:
        """Return the options as the table `csv` of a job tells them; the header is as it was taken.

        >>> CsvOptions(separator=";").as_told()["separator"]
        ';'
        """
        told = ("separator", "encoding", "header", "names", "decimal", "skip_blanks")
        return {name: getattr(self, name) for name in told}


def options_told(told: Mapping[str, Any]) -> CsvOptions:
    """Return the options that the table `csv` of a job tells; what it leaves out is found out.

    >>> options_told({"separator": ", ", "header": False}).skip_blanks
    True
    """
    mark = {"tab": "\t", "\\t": "\t"}.get(told.get("separator") or "", told.get("separator"))
    blank_after = mark is not None and len(mark) == 2 and mark[1] == " "
    return CsvOptions(
        separator=mark[0] if mark is not None and blank_after else mark,
        encoding=told.get("encoding"),
        header=told.get("header") is not False,
        trust_header=told.get("header") is True,
        skip_blanks=bool(told.get("skip_blanks")) or blank_after,
        names=tuple(told["names"]) if told.get("names") else None,
        decimal=told.get("decimal") or ".",
    )


def _check_encoding(name: str) -> None:
    try:
        known = codecs.lookup(name)
    except (LookupError, ValueError):
        known = None
    # `hex`, `zip` and their like are known to Python but turn bytes into bytes
    if known is None or not known.incrementaldecoder or not getattr(known, "_is_text_encoding", True):
        raise InputError(
            f"there is no encoding `{name}`",
            code="unknown-encoding",
            hint="give a name that Python knows, for example utf-8, latin-1, cp1252 or utf-16",
        )


def _check_names(names: tuple[str, ...], header: bool) -> None:
    if header:
        raise InputError(
            "names of columns were given for a file with a header",
            code="bad-names",
            hint="say that the file has no header, or leave the names out",
        )
    refuse_repeats(names, "names of columns were given more than once")
    if not all(names):
        raise InputError("an empty name was given for a column", code="bad-names", hint="give every column a name")
