"""Text of tables made safe to be shown: nothing in it moves the cursor, ends a line or turns the reading around."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

__all__ = ["acts", "printable", "printable_lines"]

_ACTS = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Control characters, invisible marks (also those of direction), half characters, ends of lines and paragraphs."""


def acts(mark: str) -> bool:
    """Return whether a character acts on a terminal or on the text around it, instead of being seen."""
    return unicodedata.category(mark) in _ACTS


def printable(text: str) -> str:
    """Return a text with every character that would act instead of being seen written as an escape.

    >>> print(printable("Oslo\\x1b[2J\\nk = 5 holds"))
    Oslo\\x1b[2J\\nk = 5 holds
    """
    if text.isprintable():
        return text
    return "".join(mark.encode("unicode_escape").decode() if acts(mark) else mark for mark in text)


def printable_lines(lines: Iterable[str]) -> str:
    """Return lines as one text; what stands inside a line cannot end it."""
    return "\n".join(map(printable, lines))
