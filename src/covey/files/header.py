"""Does the first row of a CSV file hold names, or is it somebody's record?

A record that is taken for names would be published, so what is in doubt is refused.  A column of numbers or dates
below a word that headers are made of settles it, and so do two below any words: that row is a header.  One alone does
not, because somebody may have written `declined` where others gave a number.  Else the first row is taken for a record
if a cell of it is a value of its own column further down, has a form that no name has (an address, a date, a mark for
missing), has the very pattern of its column (`P0012` above codes such as `P0417`), or if no cell of it differs in form
from the text below it and none is a word that headers are made of.  Where a number was refused, and where very few
rows are there to compare with, half of the names must read like names.
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
_UNTOLD = frozenset({
    "confidential", "declined", "desconocido", "inconnu", "keine", "keiner", "missing", "nieznany", "not", "okänd",
    "onbekend", "pending", "prefer", "private", "redacted", "refused", "sconosciuto", "tbd", "unavailable", "unbekannt",
    "undisclosed", "unknown", "unspecified", "withheld",
})  # fmt: skip
"""Words that people write in the place of a number."""
_FEW = 4
"""In fewer rows than these the form of values tells little."""
_PLAIN_NAME = re.compile(r"[A-Za-z]|[A-Za-z_.]+[ _.-]?\d+(?:[ _.-]?[A-Za-z]+)?|.*_.*")
_WORDS = frozenset({
    "a", "abschluss", "abteilung", "account", "achternaam", "active", "activity", "actor", "actual", "address",
    "admission", "admitted", "adresse", "age", "agent", "airline", "airport", "album", "alter", "amount", "an",
    "animal", "annee", "anno", "answer", "apellido", "apellidos", "area", "arrival", "art", "artist", "arzt", "at",
    "attribute", "author", "average", "azienda", "año", "bairro", "balance", "bank", "base", "befund", "begin",
    "bemerkung", "beroep", "beruf", "beschreibung", "bezeichnung", "bildung", "birth", "birthdate", "birthday",
    "blood", "body", "born", "branch", "brand", "breed", "budget", "building", "bundesland", "business", "by",
    "calle", "campaign", "candidate", "cantidad", "capital", "car", "card", "carrier", "case", "caste", "categoria",
    "categorie", "category", "categoría", "catégorie", "cause", "cell", "center", "centre", "certificate", "change",
    "channel", "child", "children", "choroba", "cidade", "citizenship", "citta", "città", "city", "ciudad", "civil",
    "civile", "clase", "class", "classe", "client", "clinic", "club", "code", "cognome", "col", "color", "colore",
    "colour", "column", "comment", "commune", "company", "comune", "condition", "consent", "contact", "continent",
    "contract", "cost", "couleur", "council", "count", "country", "county", "course", "court", "created", "credit",
    "crime", "crop", "currency", "customer", "dag", "data", "date", "datum", "day", "days", "death", "debt",
    "default", "degree", "departement", "department", "depth", "description", "destination", "device", "dia",
    "diagnose", "diagnosi", "diagnosis", "diagnostico", "diagnóstico", "diet", "diplôme", "direccion", "dirección",
    "director", "disability", "discharge", "disease", "distance", "district", "doctor", "doenca", "doença", "dose",
    "drug", "duration", "département", "día", "ecole", "edad", "educacion", "educación", "education", "educational",
    "efternamn", "einkommen", "election", "email", "emploi", "employed", "employee", "employer", "employment",
    "empresa", "end", "enfermedad", "entreprise", "entry", "escuela", "estado", "eta", "ethnic", "ethnicity", "età",
    "event", "exam", "expense", "eye", "eyes", "factor", "faculty", "familienstand", "family", "farbe", "fare",
    "feature", "fecha", "fee", "field", "file", "final", "firma", "first", "flag", "flight", "floor", "fnlwgt",
    "food", "from", "full", "fur", "förnamn", "gain", "geburtsdatum", "geburtsjahr", "geburtsort", "gehalt",
    "gemeente", "gemeinde", "gender", "genere", "genero", "genre", "geschlecht", "geslacht", "giorno", "goal",
    "grade", "group", "groupe", "growth", "grupo", "gruppe", "gruppo", "guess", "género", "habitat", "hair",
    "hausnummer", "head", "health", "height", "hobby", "home", "hospital", "hour", "hours", "house",
    "household", "housing", "icd", "id", "idade", "identifier", "ill", "illness", "imie", "imię", "in", "income",
    "index", "indirizzo", "industry", "ingreso", "ingresos", "inkomen", "inkomst", "insurance", "insured",
    "interest", "invoice", "istruzione", "item", "jaar", "jahr", "job", "joined", "kategorie", "key", "kind",
    "klasse", "klinik", "kommun", "konfession", "krankheit", "kreis", "kunde", "kundennummer", "kön", "label",
    "labour", "land", "landkreis", "language", "last", "lat", "latitude", "league", "leeftijd", "left", "length",
    "level", "license", "line", "link", "list", "loan", "location", "lon", "longitude", "loss", "län", "maand",
    "mail", "main", "maladie", "malattia", "manufacturer", "marital", "mark", "market", "marriage", "married",
    "material", "maximum", "mean", "measure", "medication", "member", "menge", "merchant", "mes", "mese", "message",
    "method", "metier", "miasto", "middle", "military", "minimum", "mobile", "mode", "model", "modified", "module",
    "monat", "month", "mother", "movie", "municipio", "métier", "naam", "nachname", "nacimiento", "naissance",
    "name", "names", "namn", "nascita", "nation", "national", "nationality", "nationalität", "native", "nazwisko",
    "news", "nom", "nombre", "nome", "note", "notes", "number", "nummer", "object", "occupation", "ocupacion",
    "ocupación", "of", "offence", "offense", "office", "on", "open", "operation", "option", "order", "organisation",
    "organization", "origin", "ort", "outcome", "owner", "paese", "page", "pain", "pais", "parent", "party",
    "passport", "patient", "patientin", "pay", "payment", "pays", "país", "period", "person", "phone", "place",
    "plan", "plant", "player", "plec", "plz", "poids", "point", "policy", "population", "port", "position", "post",
    "postal", "postcode", "precio", "preis", "prenom", "prezzo", "price", "primary", "prix", "process", "product",
    "profesion", "profesión", "profession", "professione", "profissao", "profissão", "profit", "program", "project",
    "province", "provincia", "provincie", "prénom", "purchase", "płeć", "quality", "quantity", "quantità",
    "quantité", "question", "race", "rank", "rate", "rating", "reason", "record", "reddito", "ref", "region",
    "regione", "relation", "relationship", "religion", "remarque", "renda", "rent", "report", "residence",
    "response", "result", "revenu", "role", "room", "route", "row", "rua", "rue", "région", "salaire", "salario",
    "salary", "sale", "sales", "sample", "school", "schule", "score", "scuola", "season", "sect", "sector",
    "segment", "seller", "series", "service", "sesso", "sex", "sexe", "sexo", "shape", "shift", "ship", "shop",
    "side", "size", "sjukdom", "skill", "skin", "sku", "smoke", "smoker", "smoking", "sobrenome", "soil", "song",
    "source", "speciality", "species", "speed", "sport", "staat", "stad", "stage", "start", "state", "station",
    "stato", "status", "statut", "stipendio", "straat", "strasse", "street", "student", "subject", "sum",
    "supplier", "surname", "symptom", "system", "tag", "taille", "tamaño", "target", "tax", "team", "tel",
    "telefono", "telephone", "teléfono", "temperature", "term", "test", "text", "ticket", "time", "tipo", "title",
    "to", "total", "town", "township", "transaction", "treatment", "tree", "tribe", "trip", "typ", "type",
    "téléphone", "ulica", "unit", "university", "update", "updated", "url", "use", "user", "username", "valeur",
    "valor", "valore", "value", "values", "var", "variable", "vehicle", "vendor", "verdict", "version", "vessel",
    "via", "view", "village", "ville", "visa", "visit", "volume", "voornaam", "vorname", "vote", "waarde", "ward",
    "weather", "week", "weight", "wert", "width", "wiek", "with", "wohnort", "wohnung", "wojewodztwo",
    "województwo", "word", "work", "workclass", "worker", "year", "years", "yrke", "zawod", "zawód", "ziekte",
    "zip", "zipcode", "zone", "âge", "ålder", "école",
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
        raise header_like_data(name, _repeated(found))
    samples = {column: _sample(table.column(column)) for column in table.column_names}
    measured = {column for column, values in samples.items() if _are_measures(values)}
    named = {column for column in measured if not _tells_nothing(column)}
    if len(named) > 1 or any(_words(column) & _WORDS for column in named) or len(measured) == len(samples):
        return
    common = [
        count >= 0.1 * table.num_rows / max(len(table.column(column).chunk(0).dictionary), 1)
        for column, count in zip(table.column_names, repeated, strict=True)
        if count
    ]
    if any(common):
        raise header_like_data(name, _repeated(sum(common)))
    if any(_has_pattern_of(column, values) for column, values in samples.items()):
        raise header_like_data(name, "a name of a column would have the pattern of the values below it")
    alike = {column: values for column, values in samples.items() if column not in measured}
    n_names = sum(_reads_like_a_name(column, samples[column]) for column in {*alike, *named})
    if (table.num_rows < _FEW or measured - named) and 2 * n_names < len(samples):
        raise header_like_data(name, f"{n_names:,} of {plural(len(samples), 'name')} of columns would read like names")
    if not n_names and all(_fits_among(column, values) for column, values in alike.items()):
        raise header_like_data(name, "no name of a column differs from the values below it")


def _repeated(found: int) -> str:
    return f"{plural(found, 'name')} of columns {'is a value' if found == 1 else 'are values'} further down"


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


def _are_measures(values: Sequence[str]) -> bool:
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


def _tells_nothing(cell: str) -> bool:
    """Return whether a cell says that a number was not told; `No` alone may be the name of one."""
    words = _words(cell)
    return bool(words & _UNTOLD) or ("no" in words and len(words) > 1)


def _words(cell: str) -> set[str]:
    parted = re.sub(r"([a-z])([A-Z])", r"\1 \2", cell)
    return {word.casefold() for word in re.findall(r"[^\W\d_]+", parted)}


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
