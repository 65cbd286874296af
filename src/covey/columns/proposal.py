"""A look at a table: the type of each column, and roles proposed with their reasons.

Nothing is guessed into a role that publishes a column as it is: what looks like a key is dropped
(`identifier`), all else is generalised (`quasi`); `sensitive`, `target` and `other` are only suggested.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from covey.ask.schema import Column, Schema
from covey.base.checks import plural
from covey.base.printable import acts
from covey.columns.values import parse_date, parse_number
from covey.keys import key_reason, named_key_reason

__all__ = ["Proposal", "is_text", "job_text", "plain_type", "propose", "type_of", "with_types"]

_NUMBER = r"^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?\s*$"
_SHORT = r"^\s*[-+]?\d{1,18}(?:\.\d{1,18})?\s*$"
_LEADING_ZERO = r"^\s*[-+]?0\d"
_DATE = r"^\s*\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[-+]\d\d:?\d\d)?)?\s*$"
_OTHER_DATE = r"^\s*\d{1,2}[./]\d{1,2}[./]\d{2,4}\s*$"
_EMAIL = r"^[^@\s]+@[^@\s]+\.[^@\s]+$"
_UUID = r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"
_PHONE = r"^\+?[\d][\d ()/-]{6,}\d$"
_POSTCODE = r"^\d{4,6}$"

_IDENTIFIER_WORDS = {
    "name", "surname", "firstname", "lastname", "forename", "fullname", "email", "mail", "phone", "telephone",
    "mobile", "fax", "ssn", "passport", "iban", "account", "address", "street", "id", "uuid", "guid", "key",
    "person", "patient", "record", "mrn", "url", "ip", "login", "username", "user",
}  # fmt: skip
_PERSON_WORDS = {"account", "person", "patient", "record", "user"}
"""Numbers under them are keys only if `named_key_reason` says so: `patient_age` is none."""
_POSTCODE_WORDS = {"zip", "zipcode", "postcode", "postal", "plz", "cap"}
_SENSITIVE_WORDS = {
    "diagnosis", "disease", "illness", "health", "hiv", "icd", "income", "salary", "wage", "religion", "party",
    "ethnicity", "crime", "debt", "medication", "drug", "disability", "sexuality",
}  # fmt: skip
_TARGET_WORDS = {"target", "label", "outcome", "class", "y", "churn", "default", "survived"}
_YES_NO = {"yes", "no", "true", "false", "y", "n", "t", "f", "ja", "nein", "oui", "non", "si", "sí", ""}
_MANY = 20
_KEY_SHARE = 0.9


def distinct_values(column: pa.ChunkedArray) -> pa.Array:
    """Return the distinct values of a column without missing ones, dictionary codes decoded."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if isinstance(kind, pa.BaseExtensionType):
        return distinct_values(column.cast(kind.storage_type))
    if pa.types.is_nested(kind):  # lists and the like have no distinct values in Arrow; no two need be equal
        return column.combine_chunks().drop_null()
    if pa.types.is_dictionary(column.type):
        parts = [pc.unique(chunk) for chunk in column.chunks]  # chunk by chunk: dictionaries may hold nulls
        column = pa.chunked_array([part.dictionary.take(part.indices) for part in parts], kind)
    return pc.unique(column.cast(plain_type(kind))).drop_null()


def type_of(column: pa.ChunkedArray, *, typed: bool, decimal: str = ".") -> str:
    """Return the type of a column: from its Arrow type, or for text from the shape of all its values.

    typed: False if a dictionary of texts is only how a file was read; else it is a category that somebody declared.
    Text is numeric only if every value is a number and none has a leading zero (`01234` is a postcode,
    not a number), and a date only if every value is an ISO date.
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "numeric"
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return "date"
    is_category = typed and pa.types.is_dictionary(column.type)
    if is_category or not is_text(plain_type(kind)):
        return "categorical"
    values = distinct_values(column)
    if len(values) == 0:
        return "categorical"
    if _are_numbers(values, decimal):
        return "numeric"
    return "date" if _are_dates(values) else "categorical"


def _are_numbers(values: pa.Array, decimal: str) -> bool:
    number = _NUMBER if decimal == "." else _NUMBER.replace(r"\.", re.escape(decimal))
    if not _all_match(values, number) or _any_match(values, _LEADING_ZERO):
        return False
    # what has few digits is a number for certain; the one parser decides on the rest (1e400 is none)
    sure = pc.match_substring_regex(values, _SHORT if decimal == "." else _SHORT.replace(r"\.", re.escape(decimal)))
    return all(parse_number(text, decimal) is not None for text in values.filter(pc.invert(sure)).to_pylist())


def _are_dates(values: pa.Array) -> bool:
    return _all_match(values, _DATE) and all(parse_date(text) is not None for text in values.to_pylist())


def _all_match(values: pa.Array, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(values, pattern)).as_py())


def _any_match(values: pa.Array, pattern: str) -> bool:
    return bool(pc.any(pc.match_substring_regex(values, pattern)).as_py())


def with_types(schema: Schema, table: pa.Table, *, typed: bool = True, decimal: str = ".") -> Schema:
    """Return the schema with a type for every quasi column that has none yet."""
    return schema.with_columns(
        _with_type(column, table.column(column.name), typed, decimal) for column in schema.quasi if column.type is None
    )


def _with_type(column: Column, data: pa.ChunkedArray, typed: bool, decimal: str) -> Column:
    """Return a column with its type; a category that the table declares ordered brings its order along."""
    labels = _declared_order(data)
    plain = column.domain is None and column.taxonomy is None and column.grid is None
    if labels and plain:
        return replace(column, type="ordered", order=labels)
    return replace(column, type=type_of(data, typed=typed, decimal=decimal))


def _declared_order(data: pa.ChunkedArray) -> tuple[str, ...]:
    """Return the labels of an ordered category, from least to greatest; nothing for any other column."""
    if not (pa.types.is_dictionary(data.type) and data.type.ordered and is_text(plain_type(data.type.value_type))):
        return ()
    chunks = [chunk.dictionary.to_pylist() for chunk in data.chunks]
    labels = chunks[0] if chunks and all(chunk == chunks[0] for chunk in chunks) else []
    return tuple(labels) if labels and None not in labels and len(set(labels)) == len(labels) else ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a column is taken for, and why; every line of it is a guess."""

    name: str
    role: str
    type: str | None
    reasons: tuple[str, ...]
    suggestion: str = ""
    prefixes: tuple[int, ...] = ()


def propose(table: pa.Table, *, typed: bool = True, decimal: str = ".") -> tuple[Proposal, ...]:
    """Return a proposal for every column of a table."""
    return tuple(_propose(name, table.column(name), typed, decimal) for name in table.column_names)


def _propose(name: str, column: pa.ChunkedArray, typed: bool, decimal: str) -> Proposal:
    kind = type_of(column, typed=typed, decimal=decimal)
    values = distinct_values(column)
    infinite = (
        _is_float(values.type)
        and not pa.types.is_decimal(values.type)
        and bool(pc.any(pc.is_inf(values.cast(pa.float64()))).as_py())
    )
    if infinite:
        kind = "categorical"
    share = f"{plural(len(values), 'different value')} in {plural(len(column), 'row')}"
    words = _words(name)
    texts = values if is_text(values.type) else None
    shape = _shape(texts)
    nearly_unique = len(column) >= _MANY and len(values) >= _KEY_SHARE * len(column)

    def identifier(why: str) -> Proposal:
        return Proposal(name, "identifier", None, (share, why))

    if pa.types.is_nested(values.type):
        return identifier("lists and records cannot be generalised")
    if isinstance(column.type, pa.BaseExtensionType):
        return identifier(f"values of the type {column.type.extension_name} cannot be generalised")
    if shape in ("e-mail addresses", "UUIDs", "telephone numbers") and kind != "date":
        return identifier(f"the values have the shape of {shape}")
    may_be_key = kind not in ("date", "boolean") and not _says_yes_or_no(texts)
    if may_be_key and (named := named_key_reason(name, column)):  # `01001` may be a postcode or a patient
        return identifier(named)
    if _looks_like_postcode(words, kind, texts):
        lengths = _prefix_lengths(texts)
        return Proposal(name, "quasi", "categorical", (share, "it looks like a postcode"), "", lengths)
    is_measure = kind == "numeric" and ("age" in words or _has_fractions(values, decimal))
    if nearly_unique and kind != "date" and not is_measure:
        return identifier("almost every value is different, as in a key")
    if may_be_key and (reason := key_reason(name, column)):
        return identifier(reason)
    many = len(values) > _MANY or 1 < len(values) >= _KEY_SHARE * len(column)
    telling = _IDENTIFIER_WORDS - (_PERSON_WORDS if kind == "numeric" else set())
    if words & telling and not words & _SENSITIVE_WORDS and many:
        return identifier("its name is that of an identifier")
    if texts is not None and kind == "categorical" and _is_free_text(texts):
        return identifier("long texts with hardly a repeat: free text can name people")
    reasons = [share, _type_reason(kind, typed and texts is None)]
    if infinite:
        reasons = [share, "it holds infinities, which have no place on a scale, so its values are plain categories"]
    if shape == "dates in another order":
        reasons.append("dates that are not of the form 2024-03-31 are read as plain categories")
    return Proposal(name, "quasi", kind, tuple(reasons), _suggestion(words))


def _says_yes_or_no(texts: pa.Array | None) -> bool:
    """Return whether texts only say yes or no: `has_id` is no key."""
    return texts is not None and {str(text).strip().lower() for text in texts[:5].to_pylist()} <= _YES_NO


def _words(name: str) -> set[str]:
    parts = re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower()
    words = set(re.split(r"[^a-z]+", parts)) | {re.sub(r"[^a-z]", "", parts)}
    return words - {""}


def is_text(kind: pa.DataType) -> bool:
    """Return whether a plain type is text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _is_float(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _has_fractions(values: pa.Array, decimal: str) -> bool:
    """Return whether numbers are measured, not counted: keys are whole numbers."""
    if is_text(values.type):
        return _any_match(values, re.escape(decimal) + r"\d")
    if pa.types.is_floating(values.type):  # whole numbers with gaps often come as floats
        wide = values.cast(pa.float64())
        return bool(pc.any(pc.and_(pc.is_finite(wide), pc.not_equal(pc.floor(wide), wide))).as_py())
    return bool(pa.types.is_decimal(values.type) and values.type.scale > 0)


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the type itself, or beside it the one that Arrow's functions take."""
    if pa.types.is_string_view(kind):
        return pa.large_string()
    if pa.types.is_decimal32(kind) or pa.types.is_decimal64(kind):
        return pa.decimal128(kind.precision, kind.scale)
    return kind


def _shape(texts: pa.Array | None) -> str:
    if texts is None or len(texts) == 0:
        return ""
    if _all_match(texts, _EMAIL):
        return "e-mail addresses"
    if _all_match(texts, _UUID):
        return "UUIDs"
    if _all_match(texts, _OTHER_DATE):
        return "dates in another order"
    if len(texts) > _MANY and _all_match(texts, _PHONE) and not _all_match(texts, r"^\d{1,8}$"):
        return "" if _all_match(texts, _DATE) or _all_match(texts, _NUMBER) else "telephone numbers"
    return ""


def _looks_like_postcode(words: set[str], kind: str, texts: pa.Array | None) -> bool:
    if texts is None or len(texts) == 0:
        return False
    if words & _POSTCODE_WORDS:
        return kind in ("categorical", "numeric")
    return kind == "categorical" and _all_match(texts, _POSTCODE)


def _prefix_lengths(texts: pa.Array | None) -> tuple[int, ...]:
    longest = int(pc.max(pc.utf8_length(texts)).as_py() or 0)
    return tuple(range(longest - 1, 0, -1))[:4] if longest > 1 else ()


def _is_free_text(texts: pa.Array) -> bool:
    return len(texts) > _MANY and float(pc.mean(pc.utf8_length(texts)).as_py()) > 60


def _type_reason(kind: str, typed: bool) -> str:
    if typed:
        return f"the file says so: {kind}"
    shapes = {"numeric": "every value is a number", "date": "every value is a date of the form 2024-03-31"}
    return shapes.get(kind, "not all values are numbers or dates")


def _suggestion(words: set[str]) -> str:
    if words & _SENSITIVE_WORDS:
        return 'it may be sensitive: role = "sensitive" publishes it as it is'
    if words & _TARGET_WORDS:
        return 'it may be what others want to predict: role = "target" publishes it as it is'
    return ""


def job_text(
    proposals: Sequence[Proposal],
    n_rows: int,
    source: str,
    csv: Mapping[str, Any] | None = None,
    na: Sequence[str] = (),
    na_by_column: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Return the text of a `covey.toml` with these proposals, ready to run and to be corrected.

    csv: how the file had to be read, where it had to be told; na, na_by_column: what means missing.
    """
    lines = [
        f"# Proposed by `covey init` from {_one_line(source)}: every role and type below is a guess. Read each one.",
        "#   identifier  dropped                    quasi   generalised",
        "#   sensitive, target, other  published as they are: never guessed, set them yourself",
        "",
        f"k = {max(2, min(10, n_rows // 2))}",
        'missing = "category"',
        *([f"na = {_texts(na)}"] if na else []),
    ]
    if csv:
        lines += ["", "[csv]", *(f"{name} = {_told(value)}" for name, value in csv.items())]
    for proposal in proposals:
        lines += ["", f"# guess: {_one_line('; '.join(proposal.reasons))}"]
        if proposal.suggestion:
            lines.append(f"# perhaps: {proposal.suggestion}")
        lines += [f"[columns.{_key(proposal.name)}]", f'role = "{proposal.role}"']
        if proposal.type is not None:
            lines.append(f'type = "{proposal.type}"')
        if proposal.prefixes:
            lines.append(f"taxonomy = {{prefixes = {list(proposal.prefixes)}}}")
        if proposal.role == "quasi" and (own := (na_by_column or {}).get(proposal.name)):
            lines.append(f"na = {_texts(own)}")
    return "\n".join(lines) + "\n"


def _told(value: Any) -> str:
    """Return an option of the file as TOML writes it: a text, texts, or true and false."""
    if isinstance(value, str):
        return _quoted(value)
    return json.dumps(value) if isinstance(value, bool) else _texts(value)


def _texts(values: Sequence[str]) -> str:
    return "[" + ", ".join(_quoted(value) for value in values) + "]"


def _one_line(text: str) -> str:
    """Return a text that can stand in a comment: what would act instead of being seen as blanks."""
    return "".join(" " if acts(mark) else mark for mark in text)


def _key(name: str) -> str:
    """Return a column name as a TOML key, quoted where it must be."""
    if re.fullmatch(r"[A-Za-z0-9_-]+", name):
        return name
    return _quoted(name)


def _quoted(text: str) -> str:
    """Return a text as TOML writes one, with escapes for what would act on a terminal."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(_escape(mark) if acts(mark) else mark for mark in escaped) + '"'


def _escape(mark: str) -> str:
    code = ord(mark)
    if mark == "\t":  # common as a separator
        return "\\t"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
