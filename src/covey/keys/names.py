"""Names of keys, in several languages: of persons, of records, of contacts.

Some names are in doubt: a `subject` may be a person or be taught at school, so that the shape of the values decides
(`covey.keys.reasons`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

__all__ = [
    "is_contact",
    "is_key_name",
    "is_measure",
    "is_of_persons",
    "is_person_alone",
    "is_person_key_name",
    "may_name_persons",
    "name_words",
]


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
    return is_person_key_name(name) or is_person_alone(name_words(name))


def is_person_key_name(name: str) -> bool:
    """Return whether a name alone is that of a key of persons."""
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


def is_person_alone(words: list[str]) -> bool:
    """Return whether words say `patient` or `study participant`, which may be a school `subject` as well."""
    own = [word for word in words if word not in _ABOUT]
    return bool(own) and all(word in _PERSON | _FILE for word in own)


def is_contact(words: list[str]) -> bool:
    """Return whether words say `home phone number`; `email opt in` is none."""
    own = list(words)
    while own and own[-1] in _AFTER_CONTACTS:
        own.pop()
    return bool(own) and own[-1] in _CONTACTS and not _THINGS.intersection(words)


def is_of_persons(words: list[str]) -> bool:
    """Return whether words speak of persons and neither of a thing, a measure nor a time."""
    return bool(_PEOPLE.intersection(words)) and not (_THINGS | _MEASURES | _TIMES).intersection(words)


def is_measure(words: list[str]) -> bool:
    """Return whether words say `age`, `income` or a date."""
    return bool(_MEASURES.intersection(words))
