"""Which kind of frame a table is, and the names of its columns."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Literal

import pyarrow as pa

from covey.base.checks import plural
from covey.base.errors import InputError
from covey.tables.frames.faults import CONVERSION_ERRORS
from covey.tables.names import refuse_repeats

__all__ = ["Kind", "as_frame", "check_names", "column_names", "kind_of", "n_rows"]


Kind = Literal["pandas", "polars", "arrow"]
_PACKAGES: tuple[Kind, ...] = ("pandas", "polars")


def as_frame(thing: Any) -> Any:
    """Return `thing` itself if it is a pandas, polars or Arrow table, else a pyarrow Table read from it.

    Anything with the Arrow stream protocol will do (a DuckDB relation, a reader).  Such a thing may give its
    rows only once, or in another order each time: call this first and keep the result.
    """
    if kind_of(thing) != "arrow" or isinstance(thing, pa.Table | pa.RecordBatch):
        return thing
    try:
        return pa.table(thing)
    except CONVERSION_ERRORS:
        raise _not_a_table(thing) from None


def kind_of(frame: Any) -> Kind:
    """Return "pandas", "polars" or "arrow" (the last also for anything with the Arrow stream protocol).

    >>> kind_of(pa.table({"age": [34, 35]}))
    'arrow'
    """
    for package in _PACKAGES:
        module = sys.modules.get(package)  # whoever hands over a frame has loaded it
        if module is not None and isinstance(frame, module.DataFrame):
            return package
    if isinstance(frame, type) or not hasattr(frame, "__arrow_c_stream__"):
        raise _not_a_table(frame)
    return "arrow"


def column_names(frame: Any) -> list[str]:
    """Return the names of the columns in their order; each must be a text and occur once.

    >>> column_names(pa.table({"age": [34], "sex": ["f"]}))
    ['age', 'sex']
    """
    frame = as_frame(frame)
    names = list(frame.schema.names if isinstance(frame, pa.Table | pa.RecordBatch) else frame.columns)
    check_names(names)
    return [str(name) for name in names]


def n_rows(frame: Any) -> int:
    """Return how many rows the table has.

    >>> n_rows(pa.table({"age": [34, 35]}))
    2
    """
    return len(as_frame(frame))


def _not_a_table(thing: Any) -> InputError:
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(thing, polars.LazyFrame):
        hint = "call `.collect()` first"
    else:
        hint = "give a pandas or polars DataFrame, a pyarrow Table or anything with the Arrow stream protocol"
    kind = type(thing)
    return InputError(f"`{kind.__module__}.{kind.__qualname__}` is not a table", code="not-a-table", hint=hint)


# names
def check_names(names: Sequence[Any]) -> None:
    """Raise unless every column has a name of its own, as text."""
    odd = [i + 1 for i, name in enumerate(names) if not isinstance(name, str)]
    if odd:
        raise InputError(
            f"column names must be text, and {plural(len(odd), 'name')} of {len(names)} "
            f"{'is' if len(odd) == 1 else 'are'} not (first in column {odd[0]})",
            code="column-names",
            hint="rename the columns, in pandas by `frame.columns = [...]`",
        )
    refuse_repeats(names, "column names occur more than once")
