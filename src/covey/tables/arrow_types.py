"""Kinds of Arrow types, whatever they are stored as."""

from __future__ import annotations

import pyarrow as pa

__all__ = ["is_text", "plain_type"]


def is_text(kind: pa.DataType) -> bool:
    """Return whether a plain type is text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the type itself, or beside it the one that Arrow's functions take."""
    if pa.types.is_string_view(kind):
        return pa.large_string()
    if pa.types.is_decimal32(kind) or pa.types.is_decimal64(kind):
        return pa.decimal128(kind.precision, kind.scale)
    return kind
