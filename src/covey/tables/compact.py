"""Rows of an Arrow column in fresh memory, and nothing beside them.

An Arrow array may carry more than its rows: dictionary values that no row has, the rows around a slice, text beside a
view, elements that no list has, values below a null, metadata of fields inside its type (polars lists the labels of an
Enum there).  A pickle or a file would hold all of it, and it may be what was to be left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.base.arrays import BoolVector, IntVector
from covey.tables.arrow_types import codes_of, one_array

__all__ = ["compact", "kept_categories"]

_LISTS = {
    pa.ListArray: pa.list_,
    pa.LargeListArray: pa.large_list,
    pa.ListViewArray: pa.list_view,
    pa.LargeListViewArray: pa.large_list_view,
}


def compact(column: pa.ChunkedArray | pa.Array, rows: IntVector | None = None, *, by_rows: bool = False) -> pa.Array:
    """Return some rows of a column (None: all) as one array of these rows alone, of the same type but for metadata.

    A row number below 0 is a missing value.  Dictionaries, also nested ones, list the values that occur: in their own
    order if they are ordered or the rows are, else (and `by_rows` in any case) as the rows come, since the order of the
    table would undo the shuffling.

    >>> codes = pa.array(["f", "m", "f"]).dictionary_encode()
    >>> compact(codes, np.array([2, 0])).dictionary.to_pylist()
    ['f']
    """
    array = one_array(column)
    numbers = np.arange(len(array)) if rows is None else np.asarray(rows, np.int64)
    return _taken(array, numbers, by_rows or bool((np.diff(numbers) < 0).any()))


def _taken(array: pa.Array, rows: IntVector, by_rows: bool) -> pa.Array:
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return _extended(kind, _taken(array.storage, rows, by_rows))
    if pa.types.is_dictionary(kind):
        return _taken_dictionary(array, rows, by_rows)
    if pa.types.is_run_end_encoded(kind):
        return pc.run_end_encode(_taken(pc.run_end_decode(array), rows, by_rows), run_end_type=kind.run_end_type)
    if pa.types.is_struct(kind):
        return _taken_struct(array, rows, by_rows)
    if pa.types.is_union(kind):
        return _taken_union(array, rows, by_rows)
    if pa.types.is_fixed_size_list(kind):
        return _taken_fixed_list(array, rows, by_rows)
    if pa.types.is_map(kind) or type(array) in _LISTS:
        return _taken_list(array, rows, by_rows)
    plain = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}.get(kind, kind)
    # taking writes zeros below nulls, a plain copy would not
    taken = (array if plain == kind else array.cast(plain)).take(_numbers(rows))
    return taken if plain == kind else taken.cast(kind)


def _numbers(rows: IntVector) -> pa.Array:
    gone = rows < 0
    return pa.array(rows, pa.int64(), mask=gone if gone.any() else None)


def _present(array: pa.Array, rows: IntVector) -> IntVector:
    """Return the row numbers, those of missing values below 0."""
    if not array.null_count:
        return rows
    missing = np.append(array.is_null().to_numpy(zero_copy_only=False), True)
    return np.where(missing[rows], -1, rows)


def _extended(kind: Any, storage: pa.Array) -> pa.Array:
    """Return an extension array; its type is made anew where that of its storage carried metadata."""
    if isinstance(kind, pa.OpaqueType):
        kind = pa.opaque(storage.type, kind.type_name, kind.vendor_name)
    elif isinstance(kind, pa.ExtensionType) and not kind.storage_type.equals(storage.type, check_metadata=True):
        kind = kind.__arrow_ext_deserialize__(storage.type, kind.__arrow_ext_serialize__())
    return pa.ExtensionArray.from_storage(kind, storage)


def _taken_struct(array: pa.StructArray, rows: IntVector, by_rows: bool) -> pa.Array:
    kind = array.type
    there = _present(array, rows)
    mask = pa.array(there < 0)
    if not kind.num_fields:
        return array.take(_numbers(there))
    members = [_taken(array.field(i), there, by_rows) for i in range(kind.num_fields)]
    fields = [_bare(kind.field(i), member) for i, member in enumerate(members)]
    return pa.StructArray.from_arrays(members, fields=fields, mask=mask)


def _bare(field: pa.Field, values: pa.Array) -> pa.Field:
    """Return a field for what was taken of its values, without metadata at any depth."""
    return pa.field(field.name, values.type, field.nullable)


def _taken_list(array: Any, rows: IntVector, by_rows: bool) -> pa.Array:
    """Return rows of lists: the elements of each, one list after the other."""
    kind = array.type
    there = _present(array, rows)
    starts, lengths = _spans(array)
    lengths = np.where(there < 0, 0, np.append(lengths, 0)[there])
    starts = np.append(starts, 0)[there]
    ends = np.cumsum(lengths)
    elements = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - (ends - lengths), lengths)
    offsets = np.concatenate([[0], ends]).astype(np.int64)
    mask = pa.array(there < 0)
    if pa.types.is_map(kind):
        keys, items = _taken(array.keys, elements, by_rows), _taken(array.items, elements, by_rows)
        bare = pa.map_(_bare(kind.key_field, keys), _bare(kind.item_field, items), kind.keys_sorted)
        return pa.MapArray.from_arrays(pa.array(offsets, pa.int32()), keys, items, type=bare, mask=mask)
    values = _taken(array.values, elements, by_rows)
    bare = _LISTS[type(array)](_bare(kind.value_field, values))
    width = pa.int64() if pa.types.is_large_list(kind) or pa.types.is_large_list_view(kind) else pa.int32()
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return type(array).from_arrays(pa.array(offsets, width), values, type=bare, mask=mask)
    begins, sizes = pa.array(offsets[:-1], width), pa.array(lengths, width)
    return type(array).from_arrays(begins, sizes, values, type=bare, mask=mask)


def _spans(array: Any) -> tuple[IntVector, IntVector]:
    """Return where the elements of each list begin, and how many there are; both as they lie behind a slice."""
    offsets = array.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
    if pa.types.is_list_view(array.type) or pa.types.is_large_list_view(array.type):
        return offsets, array.sizes.to_numpy(zero_copy_only=False).astype(np.int64)
    return offsets[:-1], np.diff(offsets)


def _taken_fixed_list(array: pa.FixedSizeListArray, rows: IntVector, by_rows: bool) -> pa.Array:
    size = array.type.list_size
    there = _present(array, rows)
    first = np.where(there < 0, -1, (there + array.offset) * size)
    elements = np.where(first[:, None] < 0, -1, first[:, None] + np.arange(size)).ravel()
    values = _taken(array.values, elements, by_rows)
    bare = pa.list_(_bare(array.type.value_field, values), size)
    return pa.FixedSizeListArray.from_arrays(values, type=bare, mask=pa.array(there < 0))


def _taken_union(array: pa.UnionArray, rows: IntVector, by_rows: bool) -> pa.Array:
    kind = array.type
    codes = array.type_codes.to_numpy(zero_copy_only=False)[rows]
    names = [kind.field(i).name for i in range(kind.num_fields)]
    types = pa.array(codes, pa.int8())
    if kind.mode == "sparse":
        parts = [
            _taken(array.field(i), np.where(codes == code, rows, -1), by_rows) for i, code in enumerate(kind.type_codes)
        ]
        return pa.UnionArray.from_sparse(types, parts, names, kind.type_codes)
    # not `offsets`, which does not mind a slice
    places = np.frombuffer(array.buffers()[2], np.int32)[array.offset + rows].astype(np.int64)
    parts, offsets = [], np.zeros(len(rows), np.int64)
    for i, code in enumerate(kind.type_codes):
        own = codes == code
        offsets[own] = np.arange(int(own.sum()))
        parts.append(_taken(array.field(i), places[own], by_rows))
    return pa.UnionArray.from_dense(types, pa.array(offsets, pa.int32()), parts, names, kind.type_codes)


def _taken_dictionary(array: pa.DictionaryArray, rows: IntVector, by_rows: bool) -> pa.DictionaryArray:
    kind = array.type
    codes = np.append(codes_of(array), -1)[rows]
    kept = kept_categories(codes, len(array.dictionary), in_order=kind.ordered or not by_rows)
    place = np.full(len(array.dictionary) + 1, -1, np.int64)
    place[kept] = np.arange(len(kept))
    codes = place[codes]
    indices = pa.array(codes, kind.index_type, mask=codes < 0)
    return pa.DictionaryArray.from_arrays(indices, _taken(array.dictionary, kept, by_rows), ordered=kind.ordered)


def kept_categories(codes: IntVector, n_categories: int, *, in_order: bool) -> IntVector:
    """Return the categories that some row has: in their own order, or as the rows come; a code below 0 is missing.

    A category that no row has may be a value of somebody who was left out, here or when the table was made.
    """
    has: BoolVector = np.zeros(n_categories + 1, bool)  # the last place takes code -1, the missing values
    has[codes] = True
    kept = np.flatnonzero(has[:n_categories])
    if in_order:
        return kept
    first = np.full(n_categories + 1, len(codes))
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return kept[np.argsort(first[kept], kind="stable")]
