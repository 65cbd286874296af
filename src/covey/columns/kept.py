"""Kept columns, which are published as they are: their values as codes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.base.arrays import IntVector
from covey.base.errors import InputError
from covey.columns.values.parsing import parse_date, parse_number
from covey.tables.arrow_types import codes_of

__all__ = ["KeptColumn", "kept_column", "value_codes"]


@dataclass(frozen=True, slots=True)
class KeptColumn:
    """A sensitive, target or other column as integers; codes are in the order of the values as text."""

    name: str
    codes: IntVector
    """(n,) int64: the code of every row, from 0 without gaps."""
    values: tuple[str | None, ...]
    """The value of each code, as text; missing (None) is a value like any other, the last."""

    @property
    def size(self) -> int:
        """Return how many different values there are."""
        return len(self.values)

    def own_ranks(self) -> IntVector | None:
        """Return the place of each code in the order of numbers or of time, missing last; None if there is neither.

        >>> kept_column("paid", pa.array([9, 100, 10])).own_ranks()
        array([1, 2, 0])
        """
        texts = [text for text in self.values if text is not None]
        for read in (parse_number, parse_date):
            points = [read(text) if text == text.strip() else None for text in texts]
            if None not in points:
                place = {point: rank for rank, point in enumerate(sorted(set(points)))}  # type: ignore[type-var]
                return np.array(
                    [*(place[point] for point in points), *[len(place)] * (self.size - len(texts))], np.int64
                )
        return None

    def take(self, rows: IntVector) -> KeptColumn:
        """Return the column of some rows; values that no row has any more keep their codes."""
        return KeptColumn(self.name, self.codes[rows], self.values)


def kept_column(name: str, values: pa.ChunkedArray | pa.Array) -> KeptColumn:
    """Return one column as codes.

    >>> kept_column("ill", pa.array(["flu", None, "asthma", "flu"]))
    KeptColumn(name='ill', codes=array([1, 2, 0, 1]), values=('asthma', 'flu', None))
    """
    array = _one_array(values)
    try:
        coded = array.dictionary_encode()
        texts = coded.dictionary.cast(pa.string()).to_pylist()
    except pa.ArrowException:
        raise InputError(
            f"the values of column `{name}` cannot be counted ({array.type})",
            code="nested-column",
            hint="make it text or numbers",
        ) from None
    given = codes_of(coded)
    # a dictionary may hold a value twice, values that no row has, and null
    present = sorted({texts[code] for code in np.unique(given[given >= 0]).tolist()} - {None})
    place = {text: code for code, text in enumerate(present)}
    absent = len(present)
    table = np.array([*(absent if text is None else place.get(text, absent) for text in texts), absent], np.int64)
    codes = table[given]
    return KeptColumn(name, codes, (*present, None) if (codes == absent).any() else tuple(present))


def value_codes(values: pa.ChunkedArray | pa.Array, *, distinct: bool = False) -> IntVector | None:
    """Return a code for every row, equal for equal values; None if such values cannot be counted (lists, say).

    distinct: a dictionary is known to hold no value twice, as those of CSV files; then its own codes are taken, and
    some of them may be those of no row.

    >>> value_codes(pa.array([0.0, None, -0.0])).tolist()
    [0, 1, 0]
    """
    if distinct and pa.types.is_dictionary(values.type) and isinstance(values, pa.ChunkedArray):
        coded = values.unify_dictionaries().combine_chunks()  # of one chunk they cost nothing
        if isinstance(coded, pa.DictionaryArray):
            return np.asarray(coded.indices.cast(pa.int64()).fill_null(len(coded.dictionary)).to_numpy(), np.int64)
    array = _one_array(values)
    try:
        coded = array.dictionary_encode(null_encoding="encode")
    except pa.ArrowException:
        return None
    return np.asarray(coded.indices.to_numpy(zero_copy_only=False), np.int64)


def _one_array(values: pa.ChunkedArray | pa.Array) -> pa.Array:
    array = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if isinstance(array, pa.ChunkedArray):  # no chunk at all
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    if pa.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    if pa.types.is_float16(array.type):  # for which Arrow has no sums
        array = array.cast(pa.float32())
    if pa.types.is_floating(array.type):
        return pc.add(array, pa.scalar(0.0, array.type))  # 0.0 and -0.0 are one value
    return array
