"""The verifier's reader of CSV against one that goes character by character."""

from __future__ import annotations

import random

import pytest

from covey.base.errors import InputError
from covey.verifier.tables import Written, bounds
from covey.verifier.tables.csv import read_csv

COMMA = Written(separator=",", header=True)


def plain_records(text: str, separator: str) -> list[list[str | None]] | None:
    """Return the records of a text, blank lines as [None]; None if a quote stays open."""
    records, cells, cell, quoted, state = [], [], "", False, "start"
    place = 0
    while place < len(text):
        mark = text[place]
        place += 1
        if state == "start" and mark == '"':
            quoted, state = True, "quotes"
        elif state == "quotes":
            if mark != '"':
                cell += mark
            elif text[place : place + 1] == '"':
                cell, place = cell + '"', place + 1
            else:
                state = "plain"
        elif mark in (separator, "\n", "\r"):
            cells.append(cell if cell or quoted else None)
            cell, quoted, state = "", False, "start"
            if mark != separator:
                place += mark == "\r" and text[place : place + 1] == "\n"
                records.append(cells)
                cells = []
        else:
            cell, state = cell + mark, "plain"
    if state == "quotes":
        return None
    if cells or cell or quoted or state != "start":
        records.append([*cells, cell if cell or quoted else None])
    return records


def read(text: str, written: Written = COMMA, **settings) -> dict[str, list[str | None]]:
    return read_csv(text.encode(), "the file", written, **settings).table.to_pydict()


def test_agrees_with_a_reader_that_goes_by_characters(monkeypatch):
    draw = random.Random(3)
    n_read = 0
    for size in (4, 9, 1 << 24):
        monkeypatch.setattr(bounds.pieces, "__defaults__", (size,))
        for _ in range(400):
            body = "".join(draw.choice('ab,"\n\r é') for _ in range(draw.randint(1, 16)))
            expected = plain_records(body, ",")
            rows = [row for row in expected or [] if row != [None]]
            if expected is None or not rows or any(len(row) != 2 for row in rows):
                with pytest.raises(InputError):
                    read("x,y\n" + body)
                continue
            found = read("x,y\n" + body)
            assert list(map(list, zip(found["x"], found["y"], strict=True))) == rows, body
            n_read += 1
    assert n_read > 50


def test_only_an_unquoted_empty_cell_is_missing():
    assert read('x,y\n,""\n"",\n') == {"x": [None, ""], "y": ["", None]}
    assert read('x,y\n"a",') == {"x": ["a"], "y": [None]}
    assert read('x\na\n\n""\n') == {"x": ["a", None, ""]}


def test_blanks_count_unless_the_original_was_told_to_have_them():
    text = "x,y\n1, a\n 2,b \n,  \n"
    assert read(text) == {"x": ["1", " 2", None], "y": [" a", "b ", "  "]}
    told = Written.told({"separator": ", ", "header": True})
    assert read(text, told) == {"x": ["1", "2", None], "y": ["a", "b", None]}


def test_a_published_file_is_never_trimmed():
    told = Written.told({"separator": ", "}).as_published()
    assert read("x;y\n1;[34, 35]\n1; [34, 35]\n", told)["y"] == ["[34, 35]", " [34, 35]"]
    # one blank after every separator is a separator of two characters, and nothing else is left out
    assert read("x, y\n1,  a\n1, a \n", told) == {"x": ["1", "1"], "y": [" a", "a "]}


def test_columns_that_are_skipped_are_not_read():
    read_ = read_csv(b"id,x\n\xff,1\n", "the file", COMMA, skip=["id"])
    assert (read_.table.to_pydict(), read_.names) == ({"x": ["1"]}, ("id", "x"))


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        ("x;y\né;ü\n".encode(), None),
        ("\ufeffx;y\né;ü\n".encode(), None),
        ("x;y\né;ü\n".encode("utf-16"), None),
        ("x;y\né;ü\n".encode("utf-32"), None),
        ("x;y\né;ü\n".encode("cp1252"), "cp1252"),
        ("x;y\né;ü\n".encode("utf-16-be"), "utf-16-be"),
    ],
)
def test_encodings_and_separators_are_found(data, encoding):
    assert read_csv(data, "the file", Written(encoding=encoding)).table.to_pydict() == {"x": ["é"], "y": ["ü"]}


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty-file"),
        (b"\n\n", "empty-file"),
        (b"x,y\n", "no-rows"),
        (b"x,y\n1\n", "ragged"),
        (b'x,y\n1,"2\n', "open-quote"),
        (b'"x,y\n1,2\n', "open-quote"),
        (b"x,x\n1,2\n", "duplicate-columns"),
        (b"x,\n1,2\n", "empty-column-name"),
        (b"1,2\n1,2\n", "header-like-data"),
        (b"x,y\n\xff,2\n", "encoding"),
        (b"x,y\n\0,2\n", "nul-bytes"),
    ],
)
def test_what_is_no_table_is_refused(data, code):
    with pytest.raises(InputError) as caught:
        read_csv(data, "the file", Written(separator=","))
    assert caught.value.code == code
