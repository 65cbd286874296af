"""Columns that look like keys: whose values tell persons, or records, apart however often they repeat.

Told by the name, in several languages, and by the shape of the values; never by a value itself.  Some names are in
doubt: a `subject` may be a person or be taught at school, so that the shape of the values decides.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

import numpy as np
import pyarrow as pa

from covey.base.arrays import IntVector

__all__ = ["is_key_name", "is_person_key", "key_reason", "may_name_persons", "name_words", "named_key_reason"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ANY_KEYS = _words("id ids uid uuid guid identifier kennung idnr idno msisdn imei imsi iban")
"""Keys of records, devices or accounts: a person may have several."""
_PERSON_KEYS = _words(
    "pid mrn ssn nhs nino dni nif nie cpf bsn cpr pesel snils ahv avs curp cedula aadhaar oib jmbg egn cnp "
    "personnummer fodselsnummer henkilotunnus steuerid codicefiscale matricule matricola matricula identifiant "
    "identificador identificatore identificativo identificacion pseudonym pseudonyme pseudonimo usubjid subjid ptid "
    "patid"
)
_KEYS = _ANY_KEYS | _PERSON_KEYS
_PERSON = _words(
    "patient paciente paziente person persona personne subject subj subjekt sujet sujeto soggetto participant "
    "participante partecipante teilnehmer respondent proband client klient cliente customer kunde member mitglied "
    "membre miembro user usuario utente utilisateur benutzer employee mitarbeiter empleado employe dipendente worker "
    "student etudiant alumno studente pupil schueler assure asegurado assicurato beneficiary enrollee voter donor "
    "prisoner caller klant potilas pacjent volunteer claimant"
)
"""Words for one person, which alone may be the name of a key."""
_PEOPLE = _PERSON | _words(
    "patienten patients personal personen probanden klienten kunden mitglieds staff studenten matrikel versicherten "
    "personeels pacjenta klienta pat pt pers cust emp"
)
_FILE = _words("account chart dossier expediente cartella record case")
_PERSONS = (
    _PEOPLE
    | _FILE
    | _words(
        "konto cuenta compte conto policy fall caso cas akten household haushalts family familien foyer hogar passport "
        "insured insurance versicherungs social sozialversicherungs kranken"
    )
)
_CONTACTS = _words(
    "email mail phone telephone telefon telefono mobile handy fax passport reisepass pasaporte passeport"
)
_AFTER_CONTACTS = _words("address adresse direccion indirizzo number nummer nr no num numero")
_ABOUT = _words("study trial research unique anonymous anonymised anonymized masked hashed encrypted")
_NUMBERS = _words(
    "number nummer nummern nr no num numero nro nb key schluessel schlussel cle clave chiave ref reference hash "
    "pseudonym numer"
)
_NUMBERS_FIRST = _words("numero nro nb clave cle codigo codice chiave numer")
_CODES = _words("code kode kod codigo codice name nom nombre nome naam namn initials")
"""Of a person they are keys; of a policy or a case they may be kinds."""
_CODES_FIRST = _words("code kode kod nom nome name")
_BETWEEN = _words("de di du del della des la le of do da der van")
_THINGS = _words(
    "state city country region county district province dept department race sex gender ethnicity zip area "
    "municipality occupation industry product category type class status group language religion education "
    "school hospital site clinic ward plant branch species role level land stadt ort gemeinde kreis kommune pays "
    "ville pais ciudad comune job course brand store shop model make colour color"
)
_MEASURES = _words("age alter edad eta year years jahr annee ano anno month day date hour hours week income")
_TIMES = _words("visit wave session arm cohort cycle stage period quarter time round")

_HEX = r"^[0-9a-fA-F]{16,}$"
_NUMBERED = re.compile(r"([A-Za-z]{1,8}[-_. /]?)(\d+)")
_DATE = re.compile(r"\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4}")
_NEGATIVE = re.compile(r"-\d+(?:[.,]\d+)?")
_SAMPLE = 200
_LOOKED_AT = 2_000
"""So many different texts, from first to last, tell the shape of all."""
_FEW = 10
_MANY = 20
_UNEVEN = 4.0
_NEARLY_ALL = 0.9
_NO_CODE = 3
"""Whole numbers of so many digits are no list of codes such as 0, 1, 9, however few they are."""
_ROWS = 50_000
"""So many rows, from first to last, tell that there are many values."""


def name_words(name: str) -> list[str]:
    """Return the words of a column name in their order, without accents.

    >>> name_words("PatientenNr"), name_words("id_paciente"), name_words("Numéro de dossier")
    (['patienten', 'nr'], ['id', 'paciente'], ['numero', 'de', 'dossier'])
    """
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(c for c in plain if not unicodedata.combining(c)).replace("ø", "o").replace("Ø", "O")
    parted = re.sub(r"([a-z])([A-Z])", r"\1 \2", plain)
    parted = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", parted)
    return re.findall(r"[^\W\d_]+", parted.lower())


def is_key_name(name: str) -> bool:
    """Return whether a name alone is that of a key, and not of a list of things such as `state_id`.

    >>> [is_key_name(name) for name in ("patient_id", "Kundennummer", "education-num", "state_id", "zip")]
    [True, True, False, False, False]
    """
    words = name_words(name)
    if _THINGS.intersection(words):
        return False
    return bool(_KEYS.intersection(words)) or _is_numbered_person(words)


def may_name_persons(name: str) -> bool:
    """Return whether a column may be a key of persons by its name; `is_person_key` looks at the values as well.

    >>> may_name_persons("patient_id"), may_name_persons("patient"), may_name_persons("row id")
    (True, True, False)
    """
    return _is_person_key_name(name) or _is_person_alone(name_words(name))


def is_person_key(name: str, column: pa.ChunkedArray) -> bool:
    """Return whether a column is a key of persons by its name, so that equal values are one person's.

    >>> taught = pa.chunked_array([["art", "music", "sport"] * 9])
    >>> is_person_key("subject_id", taught), is_person_key("subject", taught)
    (True, False)
    >>> is_person_key("subject", pa.chunked_array([["S-01", "S-02", "S-03"] * 9]))
    True
    """
    return _is_person_key_name(name) or (_is_person_alone(name_words(name)) and _look_like_ids(column))


def _is_person_key_name(name: str) -> bool:
    words = name_words(name)
    if not is_key_name(name):
        return False
    near = _PERSONS.intersection(words) or _PERSON_KEYS.intersection(words) or _is_numbered_person(words)
    return bool(near) or words in (["id"], ["uid"])


def _is_numbered_person(words: list[str]) -> bool:
    """Return whether words say `patient number`; `number of patients` is a count."""
    for i, word in enumerate(words):
        after = "".join(words[i + 1 : i + 2])
        if word in _PERSONS and after in _NUMBERS | _KEYS:
            return True
        if word in _PEOPLE and after in _CODES:
            return True
        rest = words[i + 1 :]
        while rest and rest[0] in _BETWEEN:
            rest = rest[1:]
        if rest and ((word in _NUMBERS_FIRST and rest[0] in _PERSONS) or (word in _CODES_FIRST and rest[0] in _PEOPLE)):
            return True
        if _is_one_word(word, _PERSONS, {*_NUMBERS, "id"}) or _is_one_word(word, _PEOPLE, _CODES):
            return True
    return False


def _is_one_word(word: str, persons: Collection[str], numbers: Collection[str]) -> bool:
    """Return whether a word is two without a blank between them, such as `kundennummer`."""
    return any(word.endswith(number) and word.removesuffix(number) in persons for number in numbers)


def _is_person_alone(words: list[str]) -> bool:
    """Return whether words say `patient` or `study participant`, which may be a school `subject` as well."""
    own = [word for word in words if word not in _ABOUT]
    return bool(own) and all(word in _PERSON | _FILE for word in own)


def _is_contact(words: list[str]) -> bool:
    """Return whether words say `home phone number`; `email opt in` is none."""
    own = list(words)
    while own and own[-1] in _AFTER_CONTACTS:
        own.pop()
    return bool(own) and own[-1] in _CONTACTS and not _THINGS.intersection(words)


def key_reason(name: str, column: pa.ChunkedArray) -> str:
    """Return why a column looks like a key that repeats or not, nothing if it does not.

    >>> key_reason("visit", pa.chunked_array([[f"P{i // 3:03}" for i in range(60)]]))
    'its values are numbered like records'
    >>> key_reason("age", pa.chunked_array([[i // 3 for i in range(90)]]))
    ''
    """
    return named_key_reason(name, column) or _shape_reason(name, column)


def named_key_reason(name: str, column: pa.ChunkedArray) -> str:
    """Return why the name of a column says that it is a key; of some names only if the values bear it out.

    >>> named_key_reason("patient", pa.chunked_array([["in", "out"] * 30]))
    ''
    >>> named_key_reason("patient", pa.chunked_array([[f"S-{i % 9}" for i in range(60)]]))
    'its name is that of a person or of a contact, and its values tell them apart'
    """
    words = name_words(name)
    if is_key_name(name):
        return "its name is that of a key"
    if (_is_person_alone(words) or _is_contact(words)) and _look_like_ids(column):
        return "its name is that of a person or of a contact, and its values tell them apart"
    is_of_persons = _PEOPLE.intersection(words) and not (_THINGS | _MEASURES | _TIMES).intersection(words)
    if is_of_persons and _are_numbered_parts(column):
        return "its name is of persons, and its values are numbered like records"
    return ""


def _shape_reason(name: str, column: pa.ChunkedArray) -> str:
    coded = _coded(column)
    if coded is None:
        return ""
    codes, distinct, texts = coded
    if distinct < _FEW:
        return ""
    if texts is not None:
        if all(re.match(_HEX, text) for text in texts) and not all(text.isdigit() for text in texts):
            return "its values have the shape of digests"
        if _are_numbered(texts):
            return "its values are numbered like records"
        if not all(any(c.isdigit() for c in text) for text in texts):
            return ""
    if not _MEASURES.intersection(name_words(name)) and _is_grouped(codes, distinct):
        return "equal values stand together, about equally often each, as rows of one person do"
    return ""


def _look_like_ids(column: pa.ChunkedArray | pa.Array) -> bool:
    """Return whether values can tell persons apart: codes with digits, many whole numbers, addresses or many words."""
    distinct, texts = _distinct_texts(column)
    if not texts:
        return False
    if any(_NEGATIVE.fullmatch(text) for text in texts):  # a balance, say
        return False
    if all(text.isdecimal() for text in texts):
        has_zeros = any(text[0] == "0" and len(text) > 1 for text in texts)
        return distinct >= _FEW or not any(map(_is_short, texts)) or has_zeros
    marked = sum(any(c.isdecimal() or c == "@" for c in text) for text in texts)
    return distinct > _MANY or marked >= _NEARLY_ALL * len(texts)


def _is_short(digits: str) -> bool:
    """Return whether a whole number may be a code; not as a number, which may be too long for Python."""
    return len(digits.lstrip("0")) < _NO_CODE


def _are_numbered_parts(column: pa.ChunkedArray | pa.Array) -> bool:
    """Return whether values are numbered such as `P07` or `01-701-1015`, and are no dates."""
    distinct, texts = _distinct_texts(column)
    if distinct < _FEW or all(_DATE.fullmatch(text) for text in texts):
        return False
    return sum(map(_is_numbered_text, texts)) >= _NEARLY_ALL * len(texts)


def _is_numbered_text(text: str) -> bool:
    one = _NUMBERED.fullmatch(text)
    if one is not None:
        return len(one[2]) >= 2
    parts = re.split(r"[-_./ ]", text)
    are_codes = all(part.isdecimal() or (part.isalnum() and part.isupper()) for part in parts)
    return len(parts) >= 3 and are_codes and sum(c.isdecimal() for c in text) >= 4


def _distinct_texts(column: pa.ChunkedArray | pa.Array) -> tuple[int, list[str]]:
    """Return (how many values there are, some of them as text) of text and whole numbers, nothing of all else.

    Where some of the rows have many values, of those rows alone.
    """
    if isinstance(column, pa.Array):  # as frames hand over single columns
        column = pa.chunked_array([column])
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not (_is_text(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return 0, []
    plain = column.cast(pa.large_string() if _is_text(kind) else pa.float64() if pa.types.is_floating(kind) else kind)
    values = _few_or_some(plain).drop_null()
    if pa.types.is_floating(kind):  # as whole numbers with gaps often come
        numbers = values.to_numpy()
        numbers = numbers[~np.isnan(numbers)]
        if not np.array_equal(numbers, np.trunc(np.clip(numbers, -(2.0**53), 2.0**53))):
            return 0, []
        values = pa.array(numbers.astype(np.int64))
    texts = [str(value).strip() for value in values.take(_some_of(len(values))).to_pylist()]
    return len(values), [text for text in texts if text]


def _few_or_some(column: pa.ChunkedArray) -> pa.Array:
    """Return the different values of some rows if they are many, else those of all rows."""
    if len(column) > _ROWS:
        found = column.take(_some_of(len(column), _ROWS)).unique()
        if len(found) > _MANY + 1:  # a missing value is none
            return found
    return column.unique()


def _some_of(size: int, most: int = _LOOKED_AT) -> pa.Array:
    """Return places of at most `most` values, from first to last."""
    return pa.array(np.linspace(0, max(size - 1, 0), min(size, most)).astype(int))


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _coded(column: pa.ChunkedArray | pa.Array) -> tuple[IntVector, int, list[str] | None] | None:
    """Return (code of each row with a value, how many values, some of them if text) of what may be keys.

    None for all else: a look at the first rows, or at how often neighbours differ, spares most columns the count.
    """
    if isinstance(column, pa.Array):  # as frames hand over single columns
        column = pa.chunked_array([column])
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    is_text = _is_text(kind)
    if pa.types.is_uint64(kind) or not (is_text or pa.types.is_integer(kind)):
        return None
    if is_text:
        first = [text for text in column[:_SAMPLE].to_pylist() if text is not None]
        if not all(any(c.isdigit() for c in text) for text in first):
            return None
        coded = column.cast(pa.large_string()).drop_null().combine_chunks().dictionary_encode()
        texts = coded.dictionary.take(_some_of(len(coded.dictionary))).to_pylist()
    else:
        whole = np.asarray(column.cast(pa.int64()).drop_null().to_numpy())
        if 2 * (np.count_nonzero(np.diff(whole)) + 1) > len(whole):  # no rows that stand together
            return None
        coded, texts = pa.array(whole).dictionary_encode(), None
    codes = np.asarray(coded.indices.to_numpy(), np.int64)
    return (codes, len(coded.dictionary), texts) if len(codes) else None


def _are_numbered(values: list[str]) -> bool:
    """Return whether texts are one prefix and a running number of three digits or more."""
    first = _NUMBERED.fullmatch(values[0].strip())
    if first is None:
        return False
    found = [_NUMBERED.fullmatch(text.strip()) for text in values]
    if any(match is None or match[1] != first[1] for match in found):
        return False
    digits = [match[2] for match in found if match is not None]
    if all(len(text) == 4 and 1900 <= int(text) <= 2100 for text in digits):  # years
        return False
    return min(map(len, digits)) >= _NO_CODE or not all(map(_is_short, digits))


def _is_grouped(codes: IntVector, distinct: int) -> bool:
    """Return whether the rows of every value stand together, about equally many of each."""
    if distinct < _MANY or len(codes) < 2 * distinct:
        return False
    if int(np.count_nonzero(np.diff(codes))) + 1 != distinct:
        return False
    counts = np.bincount(codes, minlength=distinct)
    return bool(counts.max() <= _UNEVEN * np.median(counts))
