"""What every algorithm owes its caller: parameters that are stored, shown and checked, and rows enough for k.

The algorithms are found through the registry, so that a new one is held to the same; what must be told of each is a
line in `REFUSED` (values that are not allowed, by parameter) and one in `SHOWN`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from covey import Infeasible, InputError
from covey.ask.algorithms import ALGORITHMS
from covey.columns.kept import KeptColumn
from oracles.random_codes import one_column, random_table

REFUSED: dict[str, dict[str, list[object]]] = {
    "k-member": {
        "k": [1, "5", True],
        "seed": [-1],
        "start": [-1],
        "next_seed": ["first"],
        "leftovers": ["last"],
        "target": [3, ""],
        "class_penalty": [-0.1, math.nan, math.inf, "0.5", True],
        "sensitive": [["ill"]],
        "diversity": ["both"],
        "sensitive_values": ["hiv", [], [1]],
        "diversity_penalty": [-1],
        "penalty_on": ["rows"],
    },
    "covey": {
        "k": [1, 2.0],
        "effort": ["slow", 1],
        "budget": [0, "soon", True],
        "cost": ["rows"],
        "seed": [-1],
    },
    "mondrian": {"k": [1, 2.0], "relaxed": [1, "yes"]},
    "loss-cut": {"k": [1], "reach": [-1]},
    "peel": {"k": [1, 2.0]},
    "refine": {"k": [1, 2.0], "start": ["non-homogeneous", 3, None], "tries": [-1, 2.5], "seed": [-1]},
    "polish": {"k": [1], "start": ["non-homogeneous", 3], "rounds": [0, 1.5], "tries": [0], "seed": [-1]},
    "systematic": {
        "k": [1],
        "seed": [-1],
        "presorted": [1],
        "order": ["12", 3, (0, 1), (1, 1), (1, "a"), (1.0, 2.0)],
        "criterion": ["least"],
        "sensitive": [3],
        "l": [0],
    },
    "one-pass-k-means": {"k": [1], "seed": [-1, 0.5], "centre": ["mean"]},
    "binary-k-means": {"k": [1], "seed": [-1, 0.5], "join": ["nearest", None], "tries": [0]},
    "non-homogeneous": {"k": [1], "seed": [-1], "parts": ["mondrian"], "part_size": [1.5]},
    "mdav": {"k": [1, 2.0, True]},
    "condensation-knn": {"k": [1, 2.0], "seed": [-1, "x"]},
    "threshold-clustering": {
        "k": [1],
        "seed": [-1],
        "threshold": [-0.1, math.nan, math.inf, "0.5", True],
        "small": ["drop"],
        "suppression": [1.5, -0.1, math.nan, None],
    },
    "weighted-c-means": {"k": [1], "seed": [-1], "max_iter": [0, 2.5], "scale": ["raw"]},
    "linkage": {
        "k": [1, 2.0],
        "method": ["ward"],
        "distance": ["cubed"],
        "stop": ["never"],
        "memory_limit_mb": [0],
    },
    "top-down-specialization": {"k": [1, 2.0], "target": ["", 3]},
    "optimal-recoding": {
        "k": [1],
        "metric": ["ncp"],
        "target": [""],
        "suppression": [1.1, "0"],
        "levels": ["top"],
        "halvings": [-1],
    },
    "tree": {
        "k": [1],
        "target": [""],
        "refine": [1],
        "splits": ["two"],
        "criterion": ["error"],
        "min_gain": [-0.1],
        "most_cuts": [0],
        "equivalent": ["yes"],
    },
}

SHOWN: dict[str, tuple[dict[str, Any], str]] = {
    "k-member": (
        {"seed": 7, "next_seed": "last"},
        (
            "KMember(k=4, seed=7, start=None, next_seed='last', leftovers='order', target=None, class_penalty=0.5, "
            "sensitive=None, diversity=None, sensitive_values=None, diversity_penalty=1.0, penalty_on='loss')"
        ),
    ),
    "covey": ({"effort": "fast"}, "Covey(k=4, effort='fast', budget=None, cost=None, seed=0)"),
    "mondrian": ({"relaxed": True}, "Mondrian(k=4, relaxed=True)"),
    "loss-cut": ({"reach": 0}, "LossCut(k=4, reach=0)"),
    "peel": ({}, "Peel(k=4)"),
    "refine": ({"start": "mondrian", "tries": 3}, "Refine(k=4, start='mondrian', tries=3, seed=0)"),
    "polish": ({"rounds": 1}, "Polish(k=4, start='refine', rounds=1, tries=8, seed=0)"),
    "systematic": (
        {"seed": 1, "criterion": "total"},
        "Systematic(k=4, seed=1, presorted=False, order=None, criterion='total', sensitive=None, l=None)",
    ),
    "one-pass-k-means": ({"centre": "lca"}, "OnePassKMeans(k=4, seed=0, centre='lca')"),
    "binary-k-means": ({"tries": 3}, "BinaryKMeans(k=4, seed=0, join='growth', tries=3)"),
    "non-homogeneous": ({"part_size": 9}, "NonHomogeneous(k=4, seed=0, parts='loss-cut', part_size=9)"),
    "mdav": ({}, "MDAV(k=4)"),
    "condensation-knn": ({"seed": 7}, "CondensationKNN(k=4, seed=7)"),
    "threshold-clustering": (
        {"seed": 1, "threshold": 0.5, "small": "merge"},
        "ThresholdClustering(k=4, seed=1, threshold=0.5, small='merge', suppression=0.0)",
    ),
    "weighted-c-means": ({"max_iter": 7}, "WeightedCMeans(k=4, seed=0, max_iter=7, scale='range')"),
    "linkage": (
        {"method": "single", "stop": "local"},
        "Linkage(method='single', k=4, distance='extent', stop='local', memory_limit_mb=4000)",
    ),
    "top-down-specialization": ({"target": "ill"}, "TopDownSpecialization(k=4, target='ill')"),
    "optimal-recoding": (
        {"metric": "dm"},
        "OptimalRecoding(k=4, metric='dm', target=None, suppression=0.0, levels='leaves', halvings=6)",
    ),
    "tree": (
        {"refine": False},
        (
            "TreeClasses(k=4, target=None, refine=False, splits='binary', criterion='entropy', min_gain=0.01, "
            "most_cuts=255, equivalent=False)"
        ),
    ),
}

FOR_A_TARGET: dict[str, dict[str, Any]] = {
    "k-member": {"target": "ill"},
    "top-down-specialization": {"target": "ill"},
    "optimal-recoding": {"metric": "cm", "target": "ill"},
    "tree": {"target": "ill"},
}
"""The algorithms that can look at a target, told to."""

NEAR, LARGE, SMALL = (2.0**-20, 2.0**20), (2.0**40, 2.0**400), (2.0**-900, 2.0**-60)
UNITS: dict[str, tuple[float, ...]] = {
    "mondrian": NEAR,
    "linkage": NEAR,
    "weighted-c-means": NEAR,
    "covey": NEAR + LARGE,
    "loss-cut": NEAR + LARGE,
    "tree": NEAR + LARGE,
    "non-homogeneous": NEAR + LARGE,
    "systematic": NEAR + LARGE,
}
"""Units of the weights in which the classes are the same, where these are not all; beyond them ties may differ."""

WITH_OPTIONS = [*((name, {}) for name in ALGORITHMS), *FOR_A_TARGET.items()]


def made(name: str, **parameters: Any) -> Any:
    return ALGORITHMS[name].load()(**parameters)


def units(name: str) -> tuple[float, ...]:
    return UNITS.get(name, SMALL + LARGE)


def searches(estimator: Any) -> list[Any]:
    """Return the ways to search four rows: by codes, by a table, by windows where no classes are made."""
    codes = one_column([1, 2, 3, 4]).codes()
    ways = [lambda: estimator.labels(codes), lambda: estimator.fit(pa.table({"a": [1, 2, 3, 4]}))]
    return ways if estimator.makes_classes else [*ways, lambda: estimator.cover(codes)]


def test_every_parameter_of_every_algorithm_has_values_that_are_not_allowed() -> None:
    assert {name: set(values) for name, values in REFUSED.items()} == {
        name: set(made(name).get_params()) for name in ALGORITHMS
    }
    assert set(SHOWN) == set(ALGORITHMS)


@pytest.mark.parametrize(
    ("name", "parameter", "value"),
    [(name, parameter, value) for name in REFUSED for parameter in REFUSED[name] for value in REFUSED[name][parameter]],
)
def test_a_parameter_that_is_not_allowed_is_refused(name: str, parameter: str, value: object) -> None:
    estimator = made(name, **{"k": 2, parameter: value})
    for search in searches(estimator):
        with pytest.raises(InputError, match=f"`{parameter}` of {type(estimator).__name__} must be") as caught:
            search()
        assert caught.value.code == "bad-parameter"


@pytest.mark.parametrize(("name", "options"), WITH_OPTIONS)
def test_fewer_rows_than_k_are_refused(name: str, options: dict[str, Any]) -> None:
    estimator = made(name, k=5, **options)
    if options:
        ill = {"ill": KeptColumn("ill", np.array([0, 0, 1, 1]), ("no", "yes"))}
        table = pa.table({"a": [1, 2, 3, 4], "ill": ["no", "no", "yes", "yes"]})
        ways = [lambda: estimator.labels(one_column([1, 2, 3, 4]).codes(), ill), lambda: estimator.fit(table)]
    else:
        ways = searches(estimator)
    for search in ways:
        with pytest.raises(Infeasible, match=r"k = 5 needs at least 5 rows; there are 4") as caught:
            search()
        assert caught.value.code == "too-few-rows"


@pytest.mark.parametrize("name", ALGORITHMS)
def test_parameters_are_stored_and_shown(name: str) -> None:
    options, shown = SHOWN[name]
    estimator = made(name, k=4, **options)
    assert repr(estimator) == shown
    assert estimator.get_params() == made(name).get_params() | {"k": 4} | options
    assert estimator.set_params(k=9).get_params()["k"] == 9
    with pytest.raises(ValueError, match="has no parameter 'kk'"):
        estimator.set_params(kk=9)


@pytest.mark.parametrize(("name", "factor"), [(name, factor) for name in ALGORITHMS for factor in units(name)])
def test_the_size_of_the_weights_does_not_matter(name: str, factor: float) -> None:
    for seed, n_tables, k in ((3, 20, 5), (6, 30, 3)):
        random = np.random.default_rng(seed)
        estimator = made(name, k=k, **({"start": 0} if name == "k-member" else {}))
        for _ in range(n_tables):
            codes = random_table(random, 60).codes()
            expected = estimator.labels(codes).tolist()
            assert estimator.labels(replace(codes, weights=codes.weights * factor)).tolist() == expected
