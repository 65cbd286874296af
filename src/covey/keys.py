"""Columns that look like keys: whose values tell persons, or records, apart however often they repeat.

Told by the name, in several languages, and by the shape of the values; never by a value itself.
"""

from __future__ import annotations

import re
import unicodedata

import numpy as np
import pyarrow as pa

from covey.arrays import IntVector

__all__ = ["is_key_name", "is_person_key_name", "key_reason", "name_words"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_KEYS = _words(
    "id ids uid uuid guid pid mrn ssn nhs dni nif nie cpf bsn cpr pesel snils ahv avs curp cedula aadhaar oib "
    "jmbg egn cnp personnummer fodselsnummer henkilotunnus steuerid codicefiscale matricule matricola matricula "
    "identifier identifiant identificador identificatore identificativo identificacion kennung pseudonym "
    "pseudonyme pseudonimo idnr idno"
)
_NATIONAL = _KEYS - {"id", "ids", "uid", "uuid", "guid", "identifier", "kennung", "idnr", "idno"}
_PERSONS = _words(
    "patient patienten patients paciente paziente person personal personen persona personne subject subjekt sujet "
    "sujeto soggetto participant participante partecipante teilnehmer respondent proband probanden client klient "
    "klienten cliente customer kunde kunden member mitglied mitglieds membre miembro user usuario utente "
    "utilisateur benutzer employee mitarbeiter empleado employe dipendente staff worker student studenten "
    "etudiant alumno studente pupil schueler matrikel insured insurance versicherten versicherungs assure "
    "asegurado assicurato beneficiary enrollee voter donor prisoner caller account konto cuenta compte conto "
    "policy case fall caso cas chart akten dossier expediente cartella household haushalts family familien foyer "
    "hogar record passport social sozialversicherungs kranken personeels klant client potilas pacjent pacjenta "
    "klienta"
)
_NUMBERS = _words(
    "number nummer nummern nr no num numero nro nb key schluessel schlussel cle clave chiave ref reference hash "
    "pseudonym numer"
)
_NUMBERS_FIRST = _words("numero nro nb clave cle codigo codice chiave numer")
_BETWEEN = _words("de di du del della des la le")
_THINGS = _words(
    "state city country region county district province dept department race sex gender ethnicity zip area "
    "municipality occupation industry product category type class status group language religion education "
    "school hospital site clinic ward plant branch species role level land stadt ort gemeinde kreis kommune pays "
    "ville pais ciudad comune job course brand store shop model make colour color"
)
_MEASURES = _words("age alter edad eta year years jahr annee ano anno month day date hour hours week income")

_HEX = r"^[0-9a-fA-F]{16,}$"
_NUMBERED = re.compile(r"([A-Za-z]{1,8}[-_. /]?)(\d+)")
_SAMPLE = 200
_LOOKED_AT = 2_000
"""So many different texts, from first to last, tell the shape of all."""
_FEW = 10
_MANY = 20
_UNEVEN = 4.0


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
    """Return whether a name is that of a key, and not of a list of things such as `state_id`.

    >>> [is_key_name(name) for name in ("patient_id", "Kundennummer", "education-num", "state_id", "zip")]
    [True, True, False, False, False]
    """
    words = name_words(name)
    if _THINGS.intersection(words):
        return False
    return bool(_KEYS.intersection(words)) or _is_numbered_person(words)


def is_person_key_name(name: str) -> bool:
    """Return whether a name is that of a key of persons, so that equal values are one person's.

    >>> is_person_key_name("patient_id"), is_person_key_name("row id")
    (True, False)
    """
    words = name_words(name)
    if not is_key_name(name):
        return False
    near = _PERSONS.intersection(words) or _NATIONAL.intersection(words) or _is_numbered_person(words)
    return bool(near) or words in (["id"], ["uid"])


def _is_numbered_person(words: list[str]) -> bool:
    """Return whether words say `patient number`; `number of patients` is a count."""
    for i, word in enumerate(words):
        after = words[i + 1 : i + 2]
        if word in _PERSONS and after and after[0] in (*_NUMBERS, *_KEYS):
            return True
        rest = words[i + 1 :]
        while rest and rest[0] in _BETWEEN:
            rest = rest[1:]
        if word in _NUMBERS_FIRST and rest and rest[0] in _PERSONS:
            return True
        if any(
            word == person + number
            for number in (*_NUMBERS, "id")
            for person in (word[: -len(number)],)
            if person in _PERSONS
        ):
            return True
    return False


def key_reason(name: str, column: pa.ChunkedArray) -> str:
    """Return why a column looks like a key that repeats or not, nothing if it does not.

    >>> key_reason("visit", pa.chunked_array([[f"P{i // 3:03}" for i in range(60)]]))
    'its values are numbered like records'
    >>> key_reason("age", pa.chunked_array([[i // 3 for i in range(90)]]))
    ''
    """
    if is_key_name(name):
        return "its name is that of a key"
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


def _coded(column: pa.ChunkedArray | pa.Array) -> tuple[IntVector, int, list[str] | None] | None:
    """Return (code of each row with a value, how many values, some of them if text) of what may be keys.

    None for all else: a look at the first rows, or at how often neighbours differ, spares most columns the count.
    """
    if isinstance(column, pa.Array):  # as frames hand over single columns
        column = pa.chunked_array([column])
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    if pa.types.is_uint64(kind) or not (is_text or pa.types.is_integer(kind)):
        return None
    if is_text:
        first = [text for text in column[:_SAMPLE].to_pylist() if text is not None]
        if not all(any(c.isdigit() for c in text) for text in first):
            return None
        coded = column.cast(pa.large_string()).drop_null().combine_chunks().dictionary_encode()
        some = np.linspace(0, max(len(coded.dictionary) - 1, 0), min(len(coded.dictionary), _LOOKED_AT)).astype(int)
        texts = coded.dictionary.take(pa.array(some)).to_pylist()
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
    numbers = [int(text) for text in digits]
    if all(1900 <= number <= 2100 for number in numbers):  # years
        return False
    return min(map(len, digits)) >= 3 or (max(numbers) >= 100)


def _is_grouped(codes: IntVector, distinct: int) -> bool:
    """Return whether the rows of every value stand together, about equally many of each."""
    if distinct < _MANY or len(codes) < 2 * distinct:
        return False
    if int(np.count_nonzero(np.diff(codes))) + 1 != distinct:
        return False
    counts = np.bincount(codes, minlength=distinct)
    return bool(counts.max() <= _UNEVEN * np.median(counts))
