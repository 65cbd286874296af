"""Why a column looks like a key: by its name and by the shape of its values."""

from __future__ import annotations

import pyarrow as pa

from covey.keys import names
from covey.keys.values import are_numbered_parts, look_like_ids, shape_reason

__all__ = ["is_person_key", "key_reason", "named_key_reason"]


def is_person_key(name: str, column: pa.ChunkedArray) -> bool:
    """Return whether a column is a key of persons by its name, so that equal values are one person's.

    >>> taught = pa.chunked_array([["art", "music", "sport"] * 9])
    >>> is_person_key("subject_id", taught), is_person_key("subject", taught)
    (True, False)
    >>> is_person_key("subject", pa.chunked_array([["S-01", "S-02", "S-03"] * 9]))
    True
    """
    return names.is_person_key_name(name) or (names.is_person_alone(names.name_words(name)) and look_like_ids(column))


def key_reason(name: str, column: pa.ChunkedArray) -> str:
    """Return why a column looks like a key that repeats or not, nothing if it does not.

    >>> key_reason("visit", pa.chunked_array([[f"P{i // 3:03}" for i in range(60)]]))
    'its values are numbered like records'
    >>> key_reason("age", pa.chunked_array([[i // 3 for i in range(90)]]))
    ''
    """
    return named_key_reason(name, column) or shape_reason(column, is_measure=names.is_measure(names.name_words(name)))


def named_key_reason(name: str, column: pa.ChunkedArray) -> str:
    """Return why the name of a column says that it is a key; of some names only if the values bear it out.

    >>> named_key_reason("patient", pa.chunked_array([["in", "out"] * 30]))
    ''
    >>> named_key_reason("patient", pa.chunked_array([[f"S-{i % 9}" for i in range(60)]]))
    'its name is that of a person or of a contact, and its values tell them apart'
    """
    words = names.name_words(name)
    if names.is_key_name(name):
        return "its name is that of a key"
    if (names.is_person_alone(words) or names.is_contact(words)) and look_like_ids(column):
        return "its name is that of a person or of a contact, and its values tell them apart"
    if names.is_of_persons(words) and are_numbered_parts(column):
        return "its name is of persons, and its values are numbered like records"
    return ""
