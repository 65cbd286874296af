"""The separator is found with quotes, decimal commas and one-column files minded."""

from __future__ import annotations

import pytest

from covey.tables.csv.separator import detect_separator


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1;2\n", ";"),
        ("a\tb\n1\t2\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ("a;b\n1,5;2,5\n3,5;4,5\n", ";"),
        ('"a;b",c\n"1;2",3\n', ","),
        ('"Smith, A";34\n"Jones, B";35\n', ";"),
        ("name;note\nAnn;one, two\nBob;three\n", ";"),
        ("a,b,c;d\n1,2,3;4\n", ","),  # three cells against two
        ("a,b\n1,2\n3\n4,5\n", ","),  # one ragged row does not matter
        ('a,b\n"x\n;;;;",2\n', ","),
        ("\n\na;b\n1;2\n", ";"),
        ("a,b\n", ","),
    ],
)
def test_the_separator_that_fits_wins(text, separator):
    assert detect_separator(text.encode(), 0) == separator


def test_a_decimal_comma_is_no_separator_if_another_fits():
    text = b"1,5;2,5\n3,5;4,5\n"
    assert detect_separator(text, 0, decimal=",") == ";"
    assert detect_separator(b'a,b\n"1,5",2\n', 0, decimal=",") == ","


def test_one_column_gets_a_separator_that_it_does_not_hold():
    assert detect_separator(b"age\n34\n35\n", 0) == ","
    assert detect_separator(b"address\nMain St, Paris\nRome\nOld St; 5, Bonn\n", 0) == "\t"
    assert detect_separator(b"note\na,b;c\td|e\nf\n", 0) == "\x1f"
    assert detect_separator(b"hello, world\nthis\nis\ntext\n", 0, header=False) == ";"


def test_rows_that_agree_against_the_header_are_left_to_be_reported():
    assert detect_separator(b"a\n1,2\n3,4\n", 0) == ","
    assert detect_separator(b"a,b\n1\n2\n3\n", 0) == ","


def test_a_record_cut_off_by_the_sample_does_not_count():
    row = b"x" * 1000 + b",y\n"
    assert detect_separator(row * 1000, 0) == ","
    assert detect_separator(b"z" * 300_000 + b",y\n" + b"a,b\n", 0) == ","
