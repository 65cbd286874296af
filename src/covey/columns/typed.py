"""A column of a table as a domain of distinct values in order, and a code for every row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.ask.schema import Column
from covey.base.arrays import BoolVector, FloatVector, IntVector
from covey.base.checks import plural
from covey.base.errors import InputError
from covey.columns.domains import Domain, as_plain, read_domain
from covey.columns.domains.domain import nan_mask
from covey.columns.domains.labels import tree_labels
from covey.columns.values.parsing import Number
from covey.columns.values.writing import NAN, write_date, write_number, zone_named
from covey.tables.arrow_types import codes_of, plain_type, value_type

__all__ = ["Place", "TypedColumn", "leaf_labels", "missing_rows", "type_column"]

Place = Callable[[int], str]
"""Says where a row is to be found, for messages: `row 12`, `line 14`."""


def _row_place(row: int) -> str:
    return f"row {row + 1:,}"


@dataclass(frozen=True, slots=True)
class TypedColumn:
    """A quasi column: its domain in order, and the code of every row.

    Codes run from 0: first the kinds of missing value that occur (null, then NaN), then the domain.
    """

    name: str
    type: str
    weight: float
    codes: IntVector
    """(n,) int32."""
    missing: tuple[str, ...]
    """Which kinds of missing value occur: `null`, `NaN`."""
    points: Any
    """The domain: numbers, dates in nanoseconds since 1970 (numpy arrays), or labels (a tuple)."""
    positions: FloatVector | None
    """Place of each point in 0..1, for ordered columns (numbers, dates, declared orders)."""
    taxonomy: Any
    """The bound taxonomy of a tree column, else None."""
    zone: str | None = None
    """The time zone that dates are written in."""
    arrow: pa.DataType | None = None
    """The Arrow type of the points where they are published as values."""
    ends: tuple[Any, Any] | None = None
    """The declared ends of the domain, as points."""
    decimal: str = "."
    """The decimal mark that numbers are written with."""
    grid: Number | None = None
    """The declared step of a numeric column, whose multiples snapped ends may be."""

    @property
    def n_missing(self) -> int:
        """Return how many of the first codes stand for missing values."""
        return len(self.missing)

    @property
    def size(self) -> int:
        """Return how many codes there are."""
        return self.n_missing + len(self.points)

    @property
    def is_tree(self) -> bool:
        """Return whether the column has a taxonomy."""
        return self.taxonomy is not None

    @property
    def is_flat(self) -> bool:
        """Return whether the column is a category without order or taxonomy."""
        return self.taxonomy is None and self.positions is None

    def label(self, code: int) -> str:
        """Return the plain text of a code that is not missing, before any quoting."""
        return self.text(self.points[code - self.n_missing])

    def text(self, point: Any) -> str:
        """Return the plain text of a point of the domain, before any quoting."""
        return self.texts([point])[0]

    def texts(self, points: Sequence[Any]) -> list[str]:
        """Return the plain texts of points of the domain, before any quoting."""
        plain = [as_plain(point) for point in points]
        if self.type == "numeric" and not self.is_tree:
            return [write_number(point).replace(".", self.decimal) for point in plain]
        if self.type == "date" and not self.is_tree:
            zone = zone_named(self.zone)
            return [write_date(int(point), zone) for point in plain]
        return [str(point) for point in plain]

    def missing_text(self, code: int) -> str | None:
        """Return how a missing code is written: None (an empty cell) or `NaN`."""
        return NAN if self.missing[code] == NAN else None


def missing_rows(data: pa.ChunkedArray) -> BoolVector:
    """Return which rows are null or NaN."""
    if pa.types.is_null(value_type(data.type)):  # in a dictionary of nulls Arrow looks for values that are not there
        return np.ones(len(data), bool)
    null = pc.is_null(data, nan_is_null=pa.types.is_floating(value_type(data.type)))
    return np.asarray(null.to_numpy(), dtype=bool)


def type_column(column: Column, data: pa.ChunkedArray, *, decimal: str = ".", place: Place = _row_place) -> TypedColumn:
    """Return the typed view of one quasi column; raises `InputError` where a value does not fit its type."""
    raw, distinct = _distinct(column, data)
    domain = read_domain(column, distinct, decimal)
    _refuse(column, raw, domain, place)
    occurs = {"null": (raw < 0).any(), NAN: domain.is_nan.any()}
    kinds = tuple(kind for kind, found in occurs.items() if found)
    shift = {kind: code for code, kind in enumerate(kinds)}
    codes = np.append(domain.rank + len(kinds), -1)
    codes[:-1][domain.is_nan] = shift.get(NAN, -1)
    codes[-1] = shift.get("null", -1)
    return TypedColumn(
        name=column.name,
        type=column.type or "categorical",
        weight=float(column.weight),
        codes=codes.astype(np.int32)[raw],
        missing=kinds,
        points=domain.points,
        positions=domain.positions,
        taxonomy=domain.taxonomy,
        zone=domain.zone,
        arrow=domain.arrow,
        ends=domain.ends,
        grid=column.grid,
        decimal=decimal,
    )


def leaf_labels(column: Column, data: pa.ChunkedArray, decimal: str = ".") -> list[str]:
    """Return the leaves that the values of a column with a taxonomy stand for, each once."""
    distinct = _distinct(column, data)[1]
    labels = zip(tree_labels(column, distinct, decimal), nan_mask(distinct), strict=True)
    return [label for label, is_nan in labels if not is_nan]


def _unsupported(column: Column, kind: pa.DataType) -> InputError:
    return InputError(
        f"column `{column.name}` has the type {kind}, which cannot be generalised",
        code="unsupported-column",
        hint="convert the column to text, numbers or dates first: a span of time to a number of days or seconds, say",
    )


def _distinct(column: Column, data: pa.ChunkedArray) -> tuple[IntVector, pa.Array]:
    """Return (code of each row, distinct values that occur, each once); null is code -1."""
    if pa.types.is_duration(value_type(data.type)):
        raise _unsupported(column, data.type)
    if pa.types.is_null(data.type):
        return np.full(len(data), -1, np.int64), pa.array([], data.type)
    try:
        if pa.types.is_dictionary(data.type):
            return _distinct_of_dictionaries(data)
        coded = data.cast(plain_type(data.type)).dictionary_encode().combine_chunks()
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise _unsupported(column, data.type) from None
    return codes_of(coded), coded.dictionary


def _distinct_of_dictionaries(data: pa.ChunkedArray) -> tuple[IntVector, pa.Array]:
    """Return the same for dictionary codes, whose dictionaries may differ between chunks, hold nulls or
    entries that no row uses, or name one value twice."""
    kind = plain_type(data.type.value_type)
    if pa.types.is_null(kind) or data.num_chunks == 0:
        return np.full(len(data), -1, np.int64), pa.array([], kind)
    chunks = [(codes_of(chunk), chunk.dictionary.cast(kind)) for chunk in data.chunks]
    entries = pa.chunked_array([dictionary for _, dictionary in chunks], kind).dictionary_encode().combine_chunks()
    value_of = np.append(codes_of(entries), -1)  # the last place takes code -1
    starts = np.cumsum([0] + [len(dictionary) for _, dictionary in chunks])
    raw = value_of[np.concatenate([np.where(codes < 0, -1, codes + starts[i]) for i, (codes, _) in enumerate(chunks)])]
    used = np.flatnonzero(np.bincount(raw + 1, minlength=len(entries.dictionary) + 1)[1:])
    new = np.full(len(entries.dictionary) + 1, -1, np.int64)
    new[used] = np.arange(len(used))
    return new[raw], entries.dictionary.take(pa.array(used))


def _refuse(column: Column, raw: IntVector, domain: Domain, place: Place) -> None:
    if not domain.fault.any():
        return
    rows = np.flatnonzero(np.append(domain.fault, False)[raw])
    values = int(domain.fault.sum())
    what = domain.fault_text.replace("{are}", "is" if values == 1 else "are")
    raise InputError(
        f"column `{column.name}` has {plural(values, 'value')} {what} (first in {place(int(rows[0]))})",
        code=domain.fault_code,
        hint=domain.fault_hint,
    )
