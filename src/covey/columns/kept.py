"""Kept columns, which are published as they are: their values as codes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.base.arrays import IntVector
from covey.base.errors import InputError
from covey.columns.values.meaning import first_alike, is_written
from covey.columns.values.parsing import parse_date, parse_number
from covey.tables.arrow_types import codes_of, plain_type, value_type

__all__ = ["KeptColumn", "kept_column", "meant_column", "value_codes"]


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
                ranks = [place[point] for point in points]
                return np.array(ranks + [len(place)] * (self.size - len(texts)), np.int64)
        return None

    def take(self, rows: IntVector) -> KeptColumn:
        """Return the column of some rows; values that no row has any more keep their codes."""
        return KeptColumn(self.name, self.codes[rows], self.values)


def kept_column(name: str, values: pa.ChunkedArray | pa.Array) -> KeptColumn:
    """Return one column as codes.

    >>> kept_column("ill", pa.array(["flu", None, "asthma", "flu"]))
    KeptColumn(name='ill', codes=array([1, 2, 0, 1]), values=('asthma', 'flu', None))
    """
    try:
        coded = _one_array(values).dictionary_encode()
        texts = coded.dictionary.cast(pa.string()).to_pylist()
    except pa.ArrowException:
        raise InputError(
            f"the values of column `{name}` cannot be counted ({values.type})",
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


def meant_column(name: str, values: pa.ChunkedArray | pa.Array) -> KeptColumn:
    """Return one column as codes that are equal for texts that mean the same: `1`, `1.0` and `01`, `flu` and `flu `.

    What models count are values, and a class in which one is written in two ways has one.

    >>> meant_column("paid", pa.array(["1.0", "1", "high", " high", "2"]))
    KeptColumn(name='paid', codes=array([1, 1, 0, 0, 2]), values=(' high', '1', '2'))
    """
    kind = value_type(values.type)
    if pa.types.is_floating(kind):  # NaN and null are both missing
        numbers = _one_array(values)
        return kept_column(name, pc.if_else(pc.is_nan(numbers), pa.scalar(None, numbers.type), numbers))
    column = kept_column(name, values)
    if not is_written(kind):
        return column
    kept, codes = np.unique(first_alike(column.values), return_inverse=True)
    return KeptColumn(name, codes.astype(np.int64)[column.codes], tuple(column.values[code] for code in kept))


def value_codes(values: pa.ChunkedArray | pa.Array, *, distinct: bool = False, meant: bool = False) -> IntVector | None:
    """Return a code for every row, equal for equal values; None if such values cannot be counted (lists, say).

    meant: texts that mean the same (`1`, `1.0`) are equal, too.
    distinct: a dictionary is known to hold no value twice, as those of CSV files; then its own codes are taken, and
    some of them may be those of no row.

    >>> value_codes(pa.array([0.0, None, -0.0])).tolist()
    [0, 1, 0]
    """
    if distinct and pa.types.is_dictionary(values.type) and isinstance(values, pa.ChunkedArray):
        coded = values.unify_dictionaries().combine_chunks()  # of one chunk they cost nothing
        if isinstance(coded, pa.DictionaryArray):
            return np.asarray(coded.indices.cast(pa.int64()).fill_null(len(coded.dictionary)).to_numpy(), np.int64)
    try:
        coded = _one_array(values).dictionary_encode(null_encoding="encode")
    except pa.ArrowException:
        return None
    codes = np.asarray(coded.indices.to_numpy(zero_copy_only=False), np.int64)
    is_merged = meant and is_written(coded.dictionary.type)
    return first_alike(coded.dictionary.to_pylist())[codes] if is_merged else codes


def _one_array(values: pa.ChunkedArray | pa.Array) -> pa.Array:
    array = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if isinstance(array, pa.ChunkedArray):  # no chunk at all
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    kind = plain_type(value_type(array.type))
    if pa.types.is_dictionary(array.type) and kind != array.type.value_type:
        array = array.dictionary.cast(kind).take(array.indices)
    array = array.cast(kind)
    if pa.types.is_float16(array.type):  # for which Arrow has no sums
        array = array.cast(pa.float32())
    if pa.types.is_floating(array.type):
        return pc.add(array, pa.scalar(0.0, array.type))  # 0.0 and -0.0 are one value
    return array
