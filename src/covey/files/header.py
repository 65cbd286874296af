"""Does the first row of a CSV file hold names, or is it somebody's record?

A record that is taken for names would be published, so what is in doubt is refused.  A column of numbers or dates
below a word settles it: that row is a header.  In a file of text alone the first row is taken for a record if a cell
of it is a value of its own column further down, has a form that no name has (an address, a date, a mark for missing),
has the very pattern of its column (`P0012` above codes such as `P0417`), or if no cell of it differs in form from
what is below it and none is a word that headers are made of.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.checks import plural
from covey.errors import InputError

__all__ = ["check_first_row", "check_header", "header_like_data", "looks_like_data"]

SAMPLE = 100
"""So many different values of a column are looked at."""
_NUMBER = r"[-+]?(?:\d+(?:[.,]\d+)*|[.,]\d+)(?:[eE][-+]?\d+)?\s*%?"
_DATE = r"\d{4}-\d\d-\d\d.*|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}/\d\d?/\d\d?|\d{1,2}:\d\d(?::\d\d)?"
_DATA = re.compile(rf"\s*(?:{_NUMBER}|{_DATE})\s*", re.ASCII)
_ADDRESS = re.compile(
    r"\s*(?:[^@\s]+@[^@\s]+\.[^@\s]+|https?://\S+|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\s*"
)
_MISSING = frozenset({"?", "-", "--", ".", "na", "n/a", "nan", "null", "none", "#n/a", "missing"})
_PLAIN_NAME = re.compile(r"[A-Za-z]|[A-Za-z_.]+[ _.-]?\d+(?:[ _.-]?[A-Za-z]+)?|.*_.*")
_WORDS = frozenset({
    "a", "account", "active", "activity", "actual", "address", "admission", "admitted", "adresse", "age", "agent",
    "alter", "amount", "an", "annee", "anno", "answer", "area", "arrival", "at", "attribute", "author", "average",
    "balance", "bank", "base", "begin", "birth", "birthdate", "birthday", "blood", "body", "born", "branch",
    "brand", "budget", "building", "business", "by", "campaign", "capital", "car", "card", "case", "category",
    "cause", "cell", "center", "centre", "certificate", "change", "channel", "child", "children", "city", "ciudad",
    "class", "client", "clinic", "code", "col", "color", "colour", "column", "comment", "commune", "company",
    "condition", "consent", "contact", "continent", "contract", "cost", "count", "country", "county", "course",
    "created", "credit", "crime", "currency", "customer", "data", "date", "datum", "day", "days", "death", "debt",
    "default", "degree", "department", "depth", "description", "device", "diagnosis", "diet", "disability",
    "discharge", "disease", "distance", "district", "doctor", "dose", "drug", "duration", "edad", "education",
    "educational", "email", "employed", "employee", "employer", "employment", "end", "entry", "ethnic", "ethnicity",
    "event", "exam", "expense", "factor", "family", "fare", "feature", "fee", "field", "file", "final", "first",
    "flag", "floor", "fnlwgt", "food", "from", "full", "gain", "gender", "geschlecht", "goal", "grade", "group",
    "growth", "guess", "hair", "head", "health", "height", "hiv", "hobby", "home", "hospital", "hour", "hours",
    "house", "household", "housing", "icd", "id", "identifier", "ill", "illness", "in", "income", "index",
    "industry", "insurance", "insured", "interest", "item", "job", "joined", "key", "kind", "label", "labour",
    "land", "language", "last", "lat", "latitude", "left", "length", "level", "license", "line", "link", "list",
    "loan", "location", "lon", "longitude", "loss", "mail", "main", "manufacturer", "marital", "mark", "market",
    "marriage", "married", "material", "maximum", "mean", "measure", "medication", "member", "message", "method",
    "middle", "military", "minimum", "mobile", "mode", "model", "modified", "month", "mother", "movie", "nachname",
    "name", "names", "nation", "national", "nationality", "native", "news", "nom", "nombre", "nome", "note",
    "notes", "number", "nummer", "object", "occupation", "of", "office", "on", "open", "operation", "option",
    "order", "organisation", "organization", "ort", "outcome", "owner", "page", "pain", "parent", "party",
    "patient", "pay", "payment", "period", "person", "phone", "place", "plan", "plz", "poids", "point", "policy",
    "population", "position", "post", "postal", "postcode", "price", "primary", "process", "product", "profession",
    "profit", "program", "project", "province", "purchase", "quality", "quantity", "question", "race", "rank",
    "rate", "rating", "reason", "record", "ref", "region", "relation", "relationship", "religion", "rent", "report",
    "residence", "response", "result", "role", "room", "row", "salary", "sale", "sales", "sample", "school",
    "score", "season", "sector", "segment", "seller", "series", "service", "sesso", "sex", "sexe", "sexo", "shape",
    "shift", "ship", "shop", "side", "size", "skill", "smoke", "smoker", "smoking", "source", "speciality",
    "species", "speed", "sport", "stage", "start", "state", "station", "status", "street", "student", "subject",
    "sum", "surname", "symptom", "system", "tag", "target", "tax", "team", "tel", "telephone", "temperature",
    "term", "test", "text", "ticket", "time", "title", "to", "total", "town", "township", "treatment", "tree",
    "trip", "type", "unit", "university", "update", "updated", "url", "use", "user", "username", "value", "values",
    "var", "variable", "vehicle", "version", "view", "village", "visit", "volume", "vorname", "ward", "weather",
    "week", "weight", "width", "with", "word", "work", "workclass", "worker", "year", "years", "zip", "zipcode",
    "zone",
})  # fmt: skip


def looks_like_data(cell: str) -> bool:
    """Return whether a cell can be no name: a number, a date, an address, a mark for missing.

    >>> [looks_like_data(cell) for cell in ("12.03.1980", "a@b.org", "?", "45 %", "age", "Q1")]
    [True, True, True, True, False, False]
    """
    return bool(_DATA.fullmatch(cell) or _ADDRESS.fullmatch(cell)) or cell.strip().casefold() in _MISSING


def check_first_row(cells: Sequence[str], name: str) -> None:
    """Raise if cells of the first row can be no names."""
    found = sum(map(looks_like_data, cells))
    if found:
        kinds = "numbers, dates, addresses or marks for missing"
        raise header_like_data(name, f"{plural(found, 'name')} of columns would be {kinds}")


def check_header(table: pa.Table, name: str) -> None:
    """Raise if the names of a table that was read are likely somebody's record."""
    repeated = [_count(table.column(column), column) for column in table.column_names]
    found = sum(count > 0 for count in repeated)
    if table.num_columns > 1 and 2 * found > table.num_columns:
        raise header_like_data(name, f"{plural(found, 'name')} of columns are values further down")
    samples = {column: _sample(table.column(column)) for column in table.column_names}
    if any(_settles_it(values) for values in samples.values()):
        return
    common = [
        count >= 0.1 * table.num_rows / max(len(table.column(column).chunk(0).dictionary), 1)
        for column, count in zip(table.column_names, repeated, strict=True)
        if count
    ]
    if any(common):
        raise header_like_data(name, f"{plural(sum(common), 'name')} of columns are values further down")
    if any(_has_pattern_of(column, values) for column, values in samples.items()):
        raise header_like_data(name, "a name of a column would have the pattern of the values below it")
    if not any(_reads_like_a_name(column, values) for column, values in samples.items()) and all(
        _fits_among(column, values) for column, values in samples.items()
    ):
        raise header_like_data(name, "no name of a column differs from the values below it")


def header_like_data(name: str, why: str) -> InputError:
    """Return the error of a first row that is likely a record; what may be somebody's data is not told."""
    return InputError(
        f"the first row of {name} looks like data, not like a header: {why}",
        code="header-like-data",
        hint="give --no-header, or --header if it does hold the names",
    )


def _count(column: pa.ChunkedArray, value: str) -> int:
    """Return in how many rows a value stands."""
    coded = column.chunk(0)
    place = pc.index(coded.dictionary, value).as_py()
    return (
        0 if place < 0 else int(np.count_nonzero(coded.indices.fill_null(-1).to_numpy(zero_copy_only=False) == place))
    )


def _sample(column: pa.ChunkedArray) -> list[str]:
    return [value for value in column.chunk(0).dictionary[:SAMPLE].to_pylist() if value]


def _settles_it(values: Sequence[str]) -> bool:
    """Return whether a column is of numbers or dates, which its name is not: else the row was refused before."""
    return bool(values) and sum(_DATA.fullmatch(value) is not None for value in values) >= 0.9 * len(values)


def _pattern(cell: str) -> str:
    """Return a cell with its digits and letters made alike."""
    return re.sub(r"[a-z]", "a", re.sub(r"[A-Z]", "A", re.sub(r"\d", "9", cell)))


def _has_pattern_of(cell: str, values: Sequence[str]) -> bool:
    """Return whether a name is a code such as all values of its column."""
    own = _pattern(cell)
    return len(values) > 1 and own.count("9") >= 2 and all(_pattern(value) == own for value in values)


def _reads_like_a_name(cell: str, values: Sequence[str]) -> bool:
    """Return whether a cell has a word of headers that no value below it has, or is named as programs name columns."""
    if _PLAIN_NAME.fullmatch(cell):
        return True
    words = _words(cell)
    words |= {word.removesuffix("s") for word in words}
    return not words.isdisjoint(_WORDS - {word for value in values for word in _words(value)})


def _words(cell: str) -> set[str]:
    parted = re.sub(r"([a-z])([A-Z])", r"\1 \2", cell)
    return {word.casefold() for word in re.split(r"[^A-Za-z]+", parted) if word}


def _form(cell: str) -> tuple[bool, bool, bool, bool]:
    """Return what a person sees of a cell at a glance: capitals, small letters, digits, other marks."""
    return (
        cell[:1].isupper(),
        any(mark.islower() for mark in cell),
        any(mark.isdigit() for mark in cell),
        any(not (mark.isalnum() or mark.isspace()) for mark in cell),
    )


def _fits_among(cell: str, values: Sequence[str]) -> bool:
    """Return whether a name has the form and about the length of some of the values of its column."""
    if not values:
        return True
    own = _form(cell)
    alike = [value for value in values if _form(value) == own]
    lengths = [len(value) for value in values]
    return 10 * len(alike) >= len(values) and 0.5 * min(lengths) <= len(cell) <= 1.5 * max(lengths)
