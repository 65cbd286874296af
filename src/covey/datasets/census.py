"""A census-like table of any size: eight quasi-identifiers, a key, a target, two sensitive columns.

Nobody in it is real.  A population of 24 profiles is fixed; a profile has its own ages, education and shares
of every category (0.3 of the overall shares and 0.7 of a random deviation from them), which makes columns
correlated and skewed.  `seed` draws the people.  A million rows have about 343,000 distinct tuples of the
quasi columns and about 19,000 combinations of their categories.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from covey.ask.taxonomy import Taxonomy
from covey.base.arrays import FloatVector, IntVector
from covey.datasets._draw import check_size, draw, labelled

__all__ = ["census_roles", "census_taxonomies", "make_census"]

_PROFILES = 24
_POPULATION = 7  # the seed of the profiles, chosen for its number of distinct tuples
_AGES = (17, 90)
_EDUCATION = (1, 16)

_SHARES: dict[str, dict[str, float]] = {
    "workclass": {
        "Private": 0.74, "Self-emp-not-inc": 0.083, "Local-gov": 0.069, "State-gov": 0.042, "Self-emp-inc": 0.036,
        "Federal-gov": 0.0295, "Without-pay": 0.0005,
    },
    "marital-status": {
        "Married-civ-spouse": 0.47, "Never-married": 0.322, "Divorced": 0.14, "Separated": 0.031, "Widowed": 0.0248,
        "Married-spouse-absent": 0.0115, "Married-AF-spouse": 0.0007,
    },
    "occupation": {
        "Craft-repair": 0.13, "Prof-specialty": 0.13, "Exec-managerial": 0.129, "Adm-clerical": 0.123, "Sales": 0.119,
        "Other-service": 0.107, "Machine-op-inspct": 0.067, "Transport-moving": 0.053, "Handlers-cleaners": 0.046,
        "Farming-fishing": 0.033, "Tech-support": 0.031, "Protective-serv": 0.022, "Priv-house-serv": 0.0095,
        "Armed-Forces": 0.0005,
    },
    "race": {"White": 0.86, "Black": 0.093, "Asian-Pac-Islander": 0.03, "Amer-Indian-Eskimo": 0.0095, "Other": 0.0075},
    "sex": {"Male": 0.675, "Female": 0.325},
}  # fmt: skip

_TREES: dict[str, dict[str, list[str]]] = {
    "workclass": {
        "Private-sector": ["Private"],
        "Self-employed": ["Self-emp-not-inc", "Self-emp-inc"],
        "Government": ["Federal-gov", "State-gov", "Local-gov"],
        "Unpaid": ["Without-pay"],
    },
    "marital-status": {
        "Married": ["Married-civ-spouse", "Married-AF-spouse", "Married-spouse-absent"],
        "Was-married": ["Divorced", "Separated", "Widowed"],
        "Single": ["Never-married"],
    },
    "occupation": {
        "White-collar": ["Exec-managerial", "Prof-specialty", "Tech-support", "Adm-clerical", "Sales"],
        "Blue-collar": [
            "Craft-repair", "Machine-op-inspct", "Transport-moving", "Handlers-cleaners", "Farming-fishing",
        ],
        "Service": ["Other-service", "Priv-house-serv", "Protective-serv", "Armed-Forces"],
    },
}  # fmt: skip

_COUNTRIES: dict[str, dict[str, list[str]]] = {
    "America": {
        "North-America": ["United-States", "Canada", "Outlying-US"],
        "Middle-America": ["Mexico", "Guatemala", "El-Salvador", "Honduras", "Nicaragua"],
        "Caribbean": ["Puerto-Rico", "Cuba", "Jamaica", "Dominican-Republic", "Haiti", "Trinadad&Tobago"],
        "South-America": ["Columbia", "Ecuador", "Peru"],
    },
    "Europe": {
        "West-Europe": ["Germany", "England", "France", "Ireland", "Scotland", "Holand-Netherlands"],
        "South-Europe": ["Italy", "Portugal", "Greece"],
        "East-Europe": ["Poland", "Hungary", "Yugoslavia"],
    },
    "Asia": {
        "East-Asia": ["China", "Japan", "Taiwan", "Hong", "South"],
        "South-Asia": ["India", "Iran"],
        "South-East-Asia": ["Philippines", "Vietnam", "Cambodia", "Laos", "Thailand"],
    },
}

# from frequent to rare: the first has 91 of 100, the others share the rest by Zipf's law
_BY_FREQUENCY = [
    "United-States", "Mexico", "Philippines", "Germany", "Puerto-Rico", "Canada", "El-Salvador", "India", "Cuba",
    "England", "Jamaica", "South", "Italy", "China", "Dominican-Republic", "Vietnam", "Guatemala", "Japan", "Columbia",
    "Poland", "Taiwan", "Haiti", "Iran", "Portugal", "Nicaragua", "Greece", "Peru", "Ecuador", "France", "Ireland",
    "Hong", "Thailand", "Cambodia", "Trinadad&Tobago", "Laos", "Yugoslavia", "Outlying-US", "Hungary", "Honduras",
    "Scotland", "Holand-Netherlands",
]  # fmt: skip

_HEALTH = ("good", "back-pain", "hypertension", "diabetes", "asthma", "depression", "heart-disease", "cancer", "hiv")
_HEALTH_BY_AGE = np.array(  # below 35, 35 to 54, 55 and above
    [
        [0.70, 0.07, 0.02, 0.01, 0.08, 0.09, 0.01, 0.01, 0.01],
        [0.52, 0.14, 0.11, 0.05, 0.05, 0.08, 0.02, 0.02, 0.01],
        [0.30, 0.15, 0.21, 0.12, 0.04, 0.05, 0.07, 0.055, 0.005],
    ]
)
_INCOME = {  # what raises the odds of a high income, or lowers them
    "marital-status": {"Married-civ-spouse": 1.7, "Married-AF-spouse": 1.7},
    "sex": {"Male": 0.7},
    "occupation": {"Exec-managerial": 1.1, "Prof-specialty": 1.0, "Tech-support": 0.6, "Other-service": -0.9},
    "workclass": {"Self-emp-inc": 1.0, "Federal-gov": 0.6, "Self-emp-not-inc": -0.4, "Without-pay": -2.0},
}
_RELIGION = ("christian", "none", "muslim", "jewish", "hindu", "buddhist", "other")
_RELIGION_SHARES = np.array([0.58, 0.27, 0.05, 0.03, 0.03, 0.02, 0.02])


def make_census(n: int = 1000, seed: int = 0) -> pa.Table:
    """Return a synthetic census of `n` people, the same for the same `n` and `seed`.

    Each row is one person.  The first rows of a longer table are not those of a shorter one.
    Categories are dictionary columns.

    >>> table = make_census(500, seed=1)
    >>> table.num_rows, table.column_names[:4], table.column_names[-3:]
    (500, ['person', 'age', 'workclass', 'education-num'], ['income', 'health', 'religion'])
    """
    check_size(n, seed)
    population = _population()
    random = np.random.default_rng(seed)
    profile = random.choice(_PROFILES, n, p=population.weights)
    age = _rounded(random.normal(population.age_mean[profile], population.age_sd[profile]), *_AGES)
    education = _rounded(random.normal(population.education_mean[profile], 1.8), *_EDUCATION)
    codes = {name: draw(random, shares, profile) for name, shares in population.shares.items()}
    labels = {name: list(shares) for name, shares in _marginals().items()}
    band = np.searchsorted([35, 55], age, side="right")
    health = draw(random, population.health, profile * 3 + band)
    religion = draw(random, population.religion, profile)
    rich = random.random(n) < _chance_of_high_income(age, education, codes, population.income[profile])
    columns = {
        "person": pa.array(random.permutation(n) + 1, pa.int64()),
        "age": pa.array(age, pa.int16()),
        "workclass": labelled(codes["workclass"], labels["workclass"]),
        "education-num": pa.array(education, pa.int16()),
        **{name: labelled(codes[name], labels[name]) for name in codes if name != "workclass"},
        "income": labelled(rich.astype(np.int8), ["<=50K", ">50K"]),
        "health": labelled(health, _HEALTH),
        "religion": labelled(religion, _RELIGION),
    }
    return pa.table(columns)


def census_taxonomies() -> dict[str, Taxonomy]:
    """Return the trees of `workclass`, `marital-status`, `occupation` and `native-country`.

    >>> census_taxonomies()["native-country"]
    Taxonomy('native-country': 41 leaves, height 3)
    """
    trees: dict[str, dict[str, object]] = {**_TREES, "native-country": _COUNTRIES}  # type: ignore[dict-item]
    return {name: Taxonomy.from_dict(tree, name) for name, tree in trees.items()}


def census_roles() -> dict[str, list[str]]:
    """Return the columns of each role: `covey.anonymize(make_census(), k=10, **census_roles())`.

    >>> census_roles()["quasi"][:3]
    ['age', 'workclass', 'education-num']
    """
    return {
        "identifier": ["person"],
        "quasi": ["age", "workclass", "education-num", *list(_marginals())[1:]],
        "target": ["income"],
        "sensitive": ["health", "religion"],
    }


@dataclass(frozen=True, slots=True)
class _Population:
    """What the profiles are like: one row of each array per profile (health: three, one per age band)."""

    weights: FloatVector
    age_mean: FloatVector
    age_sd: FloatVector
    education_mean: FloatVector
    shares: dict[str, FloatVector]
    health: FloatVector
    religion: FloatVector
    income: FloatVector


def _population() -> _Population:
    random = np.random.default_rng(_POPULATION)

    def vary(overall: FloatVector) -> FloatVector:
        return 0.3 * overall + 0.7 * random.dirichlet(8.0 * overall, _PROFILES)

    return _Population(  # drawn in this order
        weights=random.dirichlet(np.full(_PROFILES, 2.0)),
        age_mean=random.uniform(22, 65, _PROFILES),
        age_sd=random.uniform(5, 14, _PROFILES),
        education_mean=random.uniform(7, 13, _PROFILES),
        shares={name: vary(np.array(list(overall.values()))) for name, overall in _marginals().items()},
        health=np.stack([vary(band / band.sum()) for band in _HEALTH_BY_AGE], axis=1).reshape(-1, len(_HEALTH)),
        religion=vary(_RELIGION_SHARES),
        income=random.normal(0.0, 0.6, _PROFILES),
    )


def _marginals() -> dict[str, dict[str, float]]:
    """Return the overall share of every label, columns in their order; each column sums to 1."""
    tail = 1.0 / np.arange(1, len(_BY_FREQUENCY))
    country = np.concatenate([[0.91], 0.09 * tail / tail.sum()])
    overall = {**_SHARES, "native-country": dict(zip(_BY_FREQUENCY, country.tolist(), strict=True))}
    return {
        name: {label: share / sum(shares.values()) for label, share in shares.items()}
        for name, shares in overall.items()
    }


def _rounded(values: FloatVector, least: int, most: int) -> IntVector:
    return np.clip(np.rint(values), least, most).astype(np.int16)


def _chance_of_high_income(
    age: IntVector, education: IntVector, codes: dict[str, IntVector], profile: FloatVector
) -> FloatVector:
    """Return the chance of `>50K`: higher with education, in mid-life and by `_INCOME`; about one in five."""
    score = -2.6 + 0.35 * (education - 10.0) - ((age - 48.0) / 20.0) ** 2 + profile
    for name, effects in _INCOME.items():
        score += np.array([effects.get(label, 0.0) for label in _SHARES[name]])[codes[name]]
    return np.asarray(1.0 / (1.0 + np.exp(-score)))
