"""A look at a table: the role and type of every column proposed, with a reason."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from covey.base.checks import plural
from covey.columns.types import DATE, NUMBER, all_match, distinct_values, has_fractions, type_of
from covey.keys import key_reason, named_key_reason
from covey.tables.arrow_types import is_text

__all__ = ["Proposal", "propose"]


_SHAPES = {
    r"^[^@\s]+@[^@\s]+\.[^@\s]+$": "e-mail addresses",
    r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$": "UUIDs",
    r"^\s*\d{1,2}[./]\d{1,2}[./]\d{2,4}\s*$": "dates in another order",
}
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
    infinite = pa.types.is_floating(values.type) and pc.any(pc.is_inf(values.cast(pa.float64()))).as_py()
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
    is_measure = kind == "numeric" and ("age" in words or has_fractions(values, decimal))
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


def _shape(texts: pa.Array | None) -> str:
    if texts is None or len(texts) == 0:
        return ""
    for pattern, shape in _SHAPES.items():
        if all_match(texts, pattern):
            return shape
    if len(texts) > _MANY and all_match(texts, _PHONE) and not all_match(texts, r"^\d{1,8}$"):
        return "" if all_match(texts, DATE) or all_match(texts, NUMBER) else "telephone numbers"
    return ""


def _looks_like_postcode(words: set[str], kind: str, texts: pa.Array | None) -> bool:
    if texts is None or len(texts) == 0:
        return False
    if words & _POSTCODE_WORDS:
        return kind in ("categorical", "numeric")
    return kind == "categorical" and all_match(texts, _POSTCODE)


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
