"""Keys and values as TOML writes them."""

from __future__ import annotations

import datetime as dt
import json
import numbers
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from covey.base.printable import acts

__all__ = ["toml_key", "toml_value"]


def toml_key(name: str) -> str:
    """Return a name as a TOML key, quoted where it must be.

    >>> toml_key("age"), toml_key("home town")
    ('age', '"home town"')
    """
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _quoted(name)


def toml_value(value: Any) -> str:
    """Return a value on one line: text, a number, a truth value, a date, a list, or a table.

    >>> toml_value(["?", 999, 0.5, True]), toml_value({"tree": {"a b": ["x"]}})
    ('["?", 999, 0.5, true]', '{tree = {"a b" = ["x"]}}')
    """
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, numbers.Real):  # of any library
        return repr(float(value))
    if isinstance(value, dt.date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{toml_key(str(key))} = {toml_value(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    raise TypeError(f"TOML has no {type(value).__name__}")


def _quoted(text: str) -> str:
    """Return a text as TOML writes one, with escapes for what would act on a terminal."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(_escape(mark) if acts(mark) else mark for mark in escaped) + '"'


def _escape(mark: str) -> str:
    code = ord(mark)
    if mark == "\t":  # common as a separator
        return "\\t"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
