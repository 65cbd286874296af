"""From bytes in any encoding to UTF-8 without a byte order mark."""

from __future__ import annotations

import codecs
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from covey.base.errors import InputError
from covey.base.hints import Asked, hint

__all__ = ["BOM", "Utf8Text", "check_utf8", "first_bad_line", "to_utf8"]

BOM = codecs.BOM_UTF8

# UTF-32 before UTF-16: the mark of the first begins with the mark of the second
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
PIECE = 1 << 24


@dataclass(frozen=True, slots=True)
class Utf8Text:
    """The bytes of a text in UTF-8 (valid only if they came from elsewhere), and what they came in."""

    data: bytes
    start: int
    """Where the text begins in `data`: after the byte order mark."""
    encoding: str


def to_utf8(data: bytes, encoding: str | None, name: str) -> Utf8Text:
    """Return the text of a file in UTF-8; `name` is what the file is called in an error.

    Bytes that are UTF-8 already are passed on unchecked: the CSV reader checks them, many at a time, and
    `first_bad_line` finds the place.
    """
    if encoding is None:
        encoding = next((found for mark, found in MARKS if data.startswith(mark)), "utf-8")
    strict = {"utf-8": "utf-8", "utf-8-sig": "utf-8", "ascii": "ascii"}.get(codecs.lookup(encoding).name, encoding)
    text = data if strict == "utf-8" else _recoded(data, encoding)
    if text is None:  # raised here, because the decoder's own error holds the bytes
        raise _unreadable(name, encoding, first_bad_line(data, encoding) or 1)
    return Utf8Text(text, len(BOM) if text.startswith(BOM) else 0, strict)


def check_utf8(data: bytes, name: str) -> None:
    """Raise `InputError` with the first line that is not UTF-8, if there is one."""
    line = first_bad_line(data, "utf-8")
    if line is not None:
        raise _unreadable(name, "utf-8", line)


def first_bad_line(data: bytes, encoding: str) -> int | None:
    """Return the first line (from 1) that does not decode, or None if all do."""
    try:
        for _ in _decoded(data, encoding):
            pass
        return None
    except UnicodeError:  # lines are counted only where there is a fault to place
        pass
    good, place = "", 0
    try:
        data.decode(encoding)
    except UnicodeError as error:
        place = getattr(error, "start", 0)
    with contextlib.suppress(UnicodeError):  # not inside the except: an error of its own would hold the whole text
        good = data[:place].decode(encoding, "ignore")
    return 1 + good.count("\n") + good.count("\r") - good.count("\r\n")


def _decoded(data: bytes, encoding: str) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(encoding)()
    for start in range(0, len(data), PIECE):
        yield decoder.decode(data[start : start + PIECE], final=start + PIECE >= len(data))


def _recoded(data: bytes, encoding: str) -> bytes | None:
    """Return the text in UTF-8, or None if it cannot be decoded."""
    try:
        return b"".join(text.encode() for text in _decoded(data, encoding))
    except ValueError:  # a UnicodeError is one
        return None


def _unreadable(name: str, encoding: str, line: int) -> InputError:
    return InputError(
        f"{name} is not {encoding} text: line {line:,} cannot be decoded",
        code="encoding",
        hint=hint(
            "give the encoding that the file has, for example {}, cp1252 or utf-16", Asked("encoding", "latin-1")
        ),
    )
