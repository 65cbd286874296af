"""Text in any encoding becomes UTF-8, or the first line that does not decode is named."""

from __future__ import annotations

import codecs

import pytest

from covey.base.errors import InputError
from covey.base.hints import on_command_line
from covey.tables.csv import encoding as module
from covey.tables.csv.encoding import first_bad_line, to_utf8

TEXT = "name,größe\nÄnne,1\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be"])
def test_byte_order_marks_tell_the_encoding(encoding):
    marks = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}
    found = to_utf8(marks.get(encoding, b"") + TEXT.encode(encoding), None, "x")
    assert found.data[found.start :].decode() == TEXT
    assert found.encoding in ("utf-8", "utf-16", "utf-32")


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16-le", "utf-32-be", "cp437", "utf-7"])
def test_a_given_encoding_is_used(encoding):
    found = to_utf8(TEXT.encode(encoding), encoding, "x")
    assert (found.data[found.start :].decode(), found.encoding) == (TEXT, encoding)


def test_utf8_is_passed_on_without_a_copy():
    data = TEXT.encode()
    assert to_utf8(data, None, "x").data is data
    assert to_utf8(b"a,b\n", "ascii", "x").encoding == "ascii"


@pytest.mark.parametrize("piece", [1, 2, 5, 1 << 24])
@pytest.mark.parametrize(
    ("data", "encoding", "line"),
    [
        (b"a\nb\n\xff\n", "utf-8", 3),
        (b"a\r\nb\r\n\xff\n", "utf-8", 3),
        (b"a\rb\r\xe4\xe4", "utf-8", 3),
        (b"\xff", "utf-8", 1),
        (b"a\n\xe2\x82", "utf-8", 2),  # cut off in the middle of a character
        (b"a\nb\n" + b"\xc3\xa9\n\xe9\n", "utf-8", 4),
        (b"a\nb\xe9", "ascii", 2),
        (b"ok\n\x81\n", "cp1252", 2),
        ("a\nb\n".encode("utf-16") + b"\x00\xdc\x00\xdc", "utf-16", 3),
        (b"a\nZo\xeb\n", "idna", 1),  # which tells no place, and ignores nothing
    ],
)
def test_the_first_line_that_does_not_decode_is_found(monkeypatch, piece, data, encoding, line):
    monkeypatch.setattr(module, "PIECE", piece)
    assert first_bad_line(data, encoding) == line


def test_good_text_has_no_bad_line():
    assert first_bad_line(TEXT.encode(), "utf-8") is None
    assert first_bad_line(b"", "utf-8") is None


def test_an_unreadable_encoding_says_which_line_and_what_to_do():
    with pytest.raises(InputError, match="line 2") as caught:
        to_utf8(b"a\n\x81\n", "cp1252", "`x.csv`")
    assert caught.value.code == "encoding"
    assert "--encoding" in on_command_line(caught.value.hint)
    with pytest.raises(InputError, match="line 1"):
        to_utf8("é".encode(), "ascii", "x")
