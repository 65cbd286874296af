"""Small text files appear whole, and replace nothing without being told to."""

from __future__ import annotations

import os

import pytest

from covey.base.errors import InputError
from covey.tables.files import write_text


def test_a_text_is_written_as_utf8_and_replaced_only_with_force(tmp_path):
    target = tmp_path / "covey.toml"
    write_text("größe = 1\n", str(target))
    with pytest.raises(InputError) as caught:
        write_text("other\n", str(target))
    assert caught.value.code == "exists"
    assert target.read_bytes() == "größe = 1\n".encode()
    write_text("other\n", str(target), force=True)
    assert target.read_text() == "other\n"
    assert os.listdir(tmp_path) == ["covey.toml"]
