"""CSV options are checked when they are given."""

from __future__ import annotations

import pytest

from covey.base.errors import InputError
from covey.tables.files import CsvOptions


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ({"separator": ""}, "bad-separator"),
        ({"separator": ",,"}, "bad-separator"),
        ({"separator": '"'}, "bad-separator"),
        ({"separator": "\n"}, "bad-separator"),
        ({"separator": "é"}, "bad-separator"),
        ({"decimal": ";"}, "bad-decimal"),
        ({"encoding": "utf-9"}, "unknown-encoding"),
        ({"encoding": "hex"}, "unknown-encoding"),
        ({"encoding": "a\0b"}, "unknown-encoding"),
        ({"names": ("a",)}, "bad-names"),
        ({"names": ("a", "a"), "header": False}, "duplicate-columns"),
        ({"names": ("a", ""), "header": False}, "bad-names"),
    ],
)
def test_wrong_options_are_refused(words, code):
    with pytest.raises(InputError) as caught:
        CsvOptions(**words)
    assert caught.value.code == code
    assert caught.value.hint


def test_sensible_options_pass():
    options = CsvOptions(separator="\t", encoding="cp1252", header=False, names=("a", "b"), decimal=",")
    assert options.separator == "\t"
