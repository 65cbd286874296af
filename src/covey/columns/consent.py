"""Consent: which rows are of people who do not mind, and so are released as they are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.base.arrays import BoolVector
from covey.base.checks import plural
from covey.base.errors import InputError
from covey.tables.arrow_types import codes_of, value_type

__all__ = ["exempt_rows"]

_YES, _NO = ("true", "yes", "1", "1.0"), ("false", "no", "0", "0.0", "")


def exempt_rows(name: str, column: pa.ChunkedArray) -> BoolVector:
    """Return which rows consent: a boolean, or the words true, yes, 1 and false, no, 0; missing is no.

    >>> exempt_rows("agrees", pa.chunked_array([["yes", None, "No", "TRUE"]])).tolist()
    [True, False, False, True]
    """
    kind = value_type(column.type)
    if pa.types.is_boolean(kind):
        return np.asarray(column.fill_null(False).to_numpy(), bool)
    if pa.types.is_floating(kind):
        column = column.cast(kind)
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, kind), column)
    try:
        coded = column.combine_chunks().cast(pa.string()).dictionary_encode()
    except pa.ArrowException:
        raise _not_boolean(name, column.length()) from None
    words = ["" if word is None else word.strip().lower() for word in coded.dictionary.to_pylist()]
    meaning = np.array([1 if word in _YES else 0 if word in _NO else -1 for word in words] + [0], np.int64)
    found = meaning[codes_of(coded)]
    if (found < 0).any():
        raise _not_boolean(name, int((found < 0).sum()))
    return np.asarray(found == 1)


def _not_boolean(name: str, rows: int) -> InputError:
    return InputError(
        f"column `{name}` has the role consent and is neither yes nor no in {plural(rows, 'row')}",
        code="bad-consent",
        hint="let it hold true and false, yes and no, or 1 and 0",
    )
