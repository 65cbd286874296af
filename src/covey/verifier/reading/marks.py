"""Released numbers with a decimal comma: `53,6`, `<=53,6` and `[53,6; 55,1]`."""

from __future__ import annotations

import re

import pyarrow as pa

from covey.verifier.columns.codes import is_text

__all__ = ["with_points"]

_NUMBER = r"[-+]?(?:[0-9]+(?:,[0-9]*)?|,[0-9]+)(?:[eE][-+]?[0-9]+)?"
_COMMA = re.compile(
    rf"\s*(?:(?:<=|>=|<|>)?\s*{_NUMBER}|[\[(]\s*{_NUMBER}\s*;\s*{_NUMBER}\s*[\])]|{_NUMBER}\s*(?:-|\.\.)\s*{_NUMBER})\s*"
)
_POINT = str.maketrans({",": ".", ";": ","})


def with_points(values: pa.Array) -> pa.Array:
    """Return cells of numbers with decimal points; a cell that is no number with a comma stays as it is.

    >>> with_points(pa.array(["53,6", "[53,6; 55]", "[53, 55]", "53.6", "*"])).to_pylist()
    ['53.6', '[53.6, 55]', '[53, 55]', '53.6', '*']
    """
    if not is_text(values.type):
        return values
    texts = values.to_pylist()
    read = [text.translate(_POINT) if text is not None and _COMMA.fullmatch(text) else text for text in texts]
    return pa.array(read, values.type)
