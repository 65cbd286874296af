"""A small hospital's admissions: the table of the demo and the tutorial.

Nobody in it is real: names are put together from invented parts, places do not exist.  Diagnosis depends on
age, sex and season, the ward on the diagnosis, insurance on age and place, the stay on diagnosis and age.
"""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa

from covey.ask.taxonomy import Taxonomy
from covey.base.arrays import FloatVector, IntVector
from covey.datasets._draw import check_size, draw, labelled

__all__ = ["hospital_roles", "hospital_taxonomies", "make_hospital"]

_FIRST = {
    "female": [
        "Alda", "Brisa", "Cela", "Dorin", "Elva", "Fenja", "Gisa", "Hedda", "Ilka", "Jorid", "Kaja", "Lovis", "Mira",
        "Nella", "Oda", "Runa",
    ],
    "male": [
        "Arno", "Bertil", "Corin", "Dago", "Egil", "Falk", "Gero", "Harm", "Ivo", "Joris", "Klaas", "Lennart", "Milo",
        "Njal", "Ottmar", "Tjark",
    ],
}  # fmt: skip
_LAST_HEADS = [
    "Ahl", "Bren", "Dorn", "Eich", "Fehr", "Grun", "Hasel", "Kalt", "Linden", "Mohr", "Nord", "Rott", "Sand", "Tann",
    "Ulm", "Winter",
]  # fmt: skip
_LAST_TAILS = ["bach", "beck", "berg", "feld", "hoff", "kamp", "mann", "rath", "stedt", "wald"]

_TOWNS = ("047", "048", "051", "472", "473", "479", "480", "812", "815", "990")  # first digits of the postcode
_TOWN_SHARES = np.array([0.06, 0.05, 0.03, 0.12, 0.16, 0.24, 0.11, 0.12, 0.08, 0.03])
_DISTRICTS = ("01", "02", "05", "06", "11", "12", "31", "77")
_DISTRICT_SHARES = 1.0 / np.arange(1, len(_DISTRICTS) + 1)

_INSURANCE: dict[str, dict[str, list[str]]] = {
    "Insured": {"Public": ["General fund", "Company fund", "Farm fund"], "Private": ["Full cover", "Basic cover"]},
    "Uninsured": {"Pays alone": ["Self-payer"], "Paid for": ["Welfare office", "Foreign carrier"]},
}
_INSURANCES = [name for kinds in _INSURANCE.values() for names in kinds.values() for name in names]
_INSURANCE_SHARES = np.array(  # by wealth of the town (0, 1) and age (below 30, below 65, older)
    [
        [0.52, 0.14, 0.07, 0.03, 0.06, 0.06, 0.09, 0.03],
        [0.45, 0.22, 0.08, 0.06, 0.07, 0.03, 0.07, 0.02],
        [0.62, 0.12, 0.12, 0.06, 0.03, 0.01, 0.03, 0.01],
        [0.42, 0.20, 0.01, 0.12, 0.12, 0.06, 0.03, 0.04],
        [0.30, 0.26, 0.01, 0.22, 0.12, 0.04, 0.02, 0.03],
        [0.45, 0.17, 0.02, 0.26, 0.06, 0.01, 0.02, 0.01],
    ]
)
_RICH_TOWNS = np.array([0, 0, 0, 0, 0, 1, 0, 1, 1, 0])

_DIAGNOSES = (
    "Appendicitis", "Asthma", "Breast cancer", "Depression", "Diabetes", "Fracture", "Heart attack", "Hepatitis",
    "Influenza", "Pneumonia", "Pregnancy", "Stroke",
)  # fmt: skip
_BY_AGE = np.array(  # below 15, 30, 50, 70, older; women.  Men: below
    [
        [14, 22, 0, 2, 3, 26, 0, 1, 18, 12, 0, 0],
        [12, 8, 1, 14, 3, 12, 0, 3, 8, 3, 34, 0],
        [7, 5, 9, 16, 7, 13, 2, 5, 9, 5, 18, 2],
        [4, 4, 15, 11, 15, 14, 11, 5, 9, 9, 0, 8],
        [2, 3, 10, 7, 15, 24, 13, 2, 10, 14, 0, 16],
    ],
    np.float64,
)
_MEN = np.array([1, 1.1, 0.02, 0.6, 1.1, 1.0, 1.9, 1.3, 1, 1.1, 0, 1.2])
_WINTER = np.array([1, 1.2, 1, 1.2, 1, 1.3, 1.1, 1, 3.5, 2.5, 1, 1.1])
_MEAN_STAY = np.array([4, 3, 7, 21, 6, 8, 9, 8, 4, 9, 4, 14])

_WARDS = ("Gynaecology", "Internal medicine", "Neurology", "Psychiatry", "Surgery")
_LARGE_WARDS = [1, 4]
_WARD_OF = np.array([4, 1, 0, 3, 1, 4, 1, 1, 1, 1, 0, 2])
_FIRST_DAY, _DAYS = dt.date(2023, 1, 1), 731


def make_hospital(n: int = 1000, seed: int = 0) -> pa.Table:
    """Return `n` synthetic admissions, the same for the same `n` and `seed`.

    The first rows of a longer table are not those of a shorter one.

    >>> make_hospital(3).column_names
    ['name', 'age', 'sex', 'postcode', 'admitted', 'insurance', 'ward', 'diagnosis', 'length_of_stay']
    """
    check_size(n, seed)
    random = np.random.default_rng(seed)
    sex = (random.random(n) < 0.47).astype(np.int64)
    age = _ages(random, n)
    town = random.choice(len(_TOWNS), n, p=_TOWN_SHARES)
    district = random.choice(len(_DISTRICTS), n, p=_DISTRICT_SHARES / _DISTRICT_SHARES.sum())
    day = random.integers(0, _DAYS, n)
    diagnosis = _diagnoses(random, age, sex, day)
    group = np.searchsorted([30, 65], age, side="right")
    insurance = draw(random, _INSURANCE_SHARES, _RICH_TOWNS[town] * 3 + group)
    elsewhere = random.random(n) < 0.06  # no bed was free in the right ward
    ward = np.where(elsewhere, random.choice(_LARGE_WARDS, n), _WARD_OF[diagnosis])
    mean_stay = _MEAN_STAY[diagnosis] * (0.7 + age / 110.0)
    stay = 1 + random.poisson(random.gamma(2.0, np.maximum(mean_stay - 1.0, 0.2) / 2.0))
    first = np.datetime64(_FIRST_DAY, "D")
    columns = {
        "name": _names(random, sex),
        "age": pa.array(age, pa.int16()),
        "sex": labelled(sex, ["female", "male"]),
        "postcode": labelled(town * len(_DISTRICTS) + district, _postcodes()),
        "admitted": pa.array(first + day.astype("timedelta64[D]"), pa.date32()),
        "insurance": labelled(insurance, _INSURANCES),
        "ward": labelled(ward, _WARDS),
        "diagnosis": labelled(diagnosis, _DIAGNOSES),
        "length_of_stay": pa.array(np.minimum(stay, 120), pa.int16()),
    }
    return pa.table(columns)


def hospital_taxonomies() -> dict[str, Taxonomy]:
    """Return the trees of `postcode` and `insurance`.

    >>> hospital_taxonomies()["postcode"].below("479*")
    range(40, 48)
    """
    return {
        "postcode": Taxonomy.prefixes([4, 3, 2], "postcode").bind(_postcodes()),
        "insurance": Taxonomy.from_dict(_INSURANCE, "insurance"),
    }


def hospital_roles() -> dict[str, list[str]]:
    """Return the columns of each role: `covey.anonymize(make_hospital(), k=5, **hospital_roles())`.

    >>> hospital_roles()["sensitive"]
    ['ward', 'diagnosis']
    """
    return {
        "identifier": ["name"],
        "quasi": ["age", "sex", "postcode", "admitted", "insurance"],
        "sensitive": ["ward", "diagnosis"],
        "other": ["length_of_stay"],
    }


def _postcodes() -> list[str]:
    return [town + district for town in _TOWNS for district in _DISTRICTS]


def _ages(random: np.random.Generator, n: int) -> IntVector:
    """Return ages of patients: children, a broad middle, and many of the old."""
    kind = random.choice(3, n, p=[0.14, 0.46, 0.40])
    mean, spread = np.array([6.0, 40.0, 72.0])[kind], np.array([5.0, 13.0, 10.0])[kind]
    return np.clip(np.rint(np.abs(random.normal(mean, spread))), 0, 99).astype(np.int16)


def _diagnoses(random: np.random.Generator, age: IntVector, sex: IntVector, day: IntVector) -> IntVector:
    band = np.searchsorted([15, 30, 50, 70], age, side="right")
    winter = (np.cos(2.0 * np.pi * (day % 365 - 20) / 365.0) > 0.5).astype(np.int64)
    both: FloatVector = np.stack([_BY_AGE, _BY_AGE * _MEN])
    shares = np.stack([both, both * _WINTER]).reshape(-1, len(_DIAGNOSES))  # (season, sex, age band)
    return draw(random, shares, (winter * 2 + sex) * len(_BY_AGE) + band)


def _names(random: np.random.Generator, sex: IntVector) -> pa.Array:
    firsts = np.array([_FIRST["female"], _FIRST["male"]])[sex, random.integers(0, 16, len(sex))]
    lasts = np.array([head + tail for head in _LAST_HEADS for tail in _LAST_TAILS])
    chosen = lasts[random.integers(0, len(lasts), len(sex))]
    return pa.array(
        [f"{first} {last}" for first, last in zip(firsts.tolist(), chosen.tolist(), strict=True)], pa.string()
    )
