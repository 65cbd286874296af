"""Levels from counts, against plain loops over the rows that the counts stand for."""

import datetime as dt
import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.ask.models import MODELS, ModelEntry, Parameter, is_at_least, model_spec
from covey.base.errors import InputError
from covey.columns.kept import kept_column
from covey.verifier import verify
from covey.verifier.levels import Histograms, Judged, judged, k_anonymity
from covey.verifier.reading.order import own_ranks

LEVELS = ("distinct-l-diversity", "frequency-l-diversity")


def found(model, counts, asked):
    """What a model finds in classes given by counts."""
    spec = model_spec({"model": model, "column": "ill", "l": asked})
    return judged(spec, Histograms.of_counts(counts))


@given(st.lists(st.integers(1, 50), min_size=1))
def test_k_anonymity_is_the_smallest_class(sizes):
    assert k_anonymity(sizes) == sorted(sizes)[0]


# --- diversity against brute force: the rows of every class, one by one -----------------------------------------


def class_level(model, values):
    """The l of one class from its values, by counting every value with a loop."""
    if model == "distinct-l-diversity":
        return Fraction(len(set(values)))
    return min(Fraction(len(values), sum(other == value for other in values)) for value in values)


def test_levels_are_the_brute_force_ones_on_random_histograms():
    rng = np.random.default_rng(11)
    asked_for = ["1", "1.1", "1.5", "2", "2.2", "2.5", "3", "3.3", "4"]
    failed = 0
    for _ in range(3000):
        classes = [rng.integers(0, rng.integers(1, 6), rng.integers(1, 12)).tolist() for _ in range(rng.integers(1, 7))]
        counts = [list(Counter(values).values()) for values in classes]
        if rng.random() < 0.5:  # a value that a class does not have may be listed with 0
            counts = [[*found, 0] for found in counts]
        asked = asked_for[rng.integers(len(asked_for))]
        for model in LEVELS:
            wanted = math.ceil(float(asked)) if MODELS[model].parameters[0].whole else float(asked)
            reached = [class_level(model, values) for values in classes]
            level, fails = found(model, counts, wanted)
            assert level == min(reached)
            below = [level < Fraction(Decimal(str(wanted))) for level in reached]
            assert fails.tolist() == below
            failed += any(below)
    assert 1000 < failed < 5900  # both answers were tried


def test_what_is_asked_is_read_as_it_is_written():
    # 25 rows of 55: 55 / 25 = 2.2, though the float 25 * 2.2 is above 55
    assert 25 * 2.2 > 55
    assert found("frequency-l-diversity", [[25, 20, 10]], 2).level == Fraction(11, 5)
    assert not found("frequency-l-diversity", [[25, 20, 10]], 2.2).fails.any()
    assert found("frequency-l-diversity", [[25, 20, 9]], 2.2).fails.all()
    # (3 * 10**17 - 1) / 10**17 is just below 3, and no float can tell it from 3
    almost = [10**17, 10**17, 10**17 - 1]
    assert float(found("frequency-l-diversity", [almost], 2).level) == 3.0
    assert found("frequency-l-diversity", [almost], 3).fails.all()


def test_counts_of_any_kind_are_counted_without_overflow():
    # 2**40 rows x the numerator of 1.000000000000001 (10**15 + 1) is beyond 64 bits
    histogram = np.array([2**40, 2**40])
    assert not found("frequency-l-diversity", [histogram], 1.000000000000001).fails.any()
    assert found("frequency-l-diversity", [histogram], 2).level == 2
    assert found("distinct-l-diversity", [histogram], 2).level == 2


def test_no_class_is_refused():
    for sizes in ([], [0], [3, 0]):
        with pytest.raises(InputError, match="no class") as caught:
            k_anonymity(sizes)
        assert caught.value.code == "empty-table"
    for counts in ([], [[1], []], [[0, 0]]):
        with pytest.raises(InputError, match="no class") as caught:
            Histograms.of_counts(counts)
        assert caught.value.code == "empty-table"


@pytest.mark.parametrize("name", MODELS)
def test_every_registered_model_has_a_level_on_both_sides(name):
    entry = MODELS[name]
    spec = model_spec(entry.example())
    assert judged(spec, Histograms.of_counts([[1, 1, 1, 1], [2, 2, 2, 2]])).fails.shape == (2,)
    assert entry.load()(*spec.columns, **dict(spec.parameters)).spec() == spec
    assert str(model_spec(str(spec))) == str(spec)


@pytest.mark.parametrize("name", [name for name in MODELS if MODELS[name].survives_joining])
def test_two_classes_that_pass_make_one_that_does(name):
    rng = np.random.default_rng(5)
    both = 0
    for _ in range(2000):
        one, two = rng.integers(0, 5, (2, 4))
        if not (one.any() and two.any()):
            continue
        asked = model_spec({"model": name, "column": "ill", "l": int(rng.integers(1, 4))})
        if not judged(asked, Histograms.of_counts([one, two])).fails.any():
            both += 1
            assert not judged(asked, Histograms.of_counts([one + two])).fails.any()
    assert both > 200


# --- a third model: what is counted is the whole histogram --------------------------------------------------------


def entropy_l_diversity(classes, l):  # noqa: E741
    """exp of the entropy of each class, by plain loops."""
    levels = []
    for begin, end in zip(classes.starts[:-1], classes.starts[1:], strict=True):
        shares = classes.counts[begin:end] / classes.counts[begin:end].sum()
        levels.append(math.exp(-sum(share * math.log(share) for share in shares)))
    return Judged(min(levels), np.array(levels) < l)


def spread(classes, t):
    """The most steps, in the column's own order, between two values of a class; at most t are allowed."""
    ends = zip(classes.starts[:-1], classes.starts[1:], strict=True)
    steps = np.array([np.ptp(classes.ranks[classes.codes[begin:end]]) for begin, end in ends])
    return Judged(int(steps.max()), steps > t)


@pytest.fixture
def more_models(monkeypatch):
    here = "covey_test_judges"
    module = type(pytest)(here)
    module.entropy, module.spread = entropy_l_diversity, spread
    monkeypatch.setitem(__import__("sys").modules, here, module)
    entropy = ModelEntry("entropy-l", "", f"{here}:entropy", (Parameter("l", 1),), "a test")
    steps = ModelEntry(
        "spread", "", f"{here}:spread", (Parameter("t", 0, 9),), "a test", at_least=False, needs=frozenset({"order"})
    )
    for entry in (entropy, steps):
        monkeypatch.setitem(MODELS, entry.name, entry)


def test_classes_of_one_size_with_as_many_values_are_told_apart(more_models):
    # 4/2/2 reaches 2.828, 4/3/1 only 2.649: the same rows, different values and commonest count
    table = pa.table({"q": ["a"] * 8 + ["b"] * 8, "ill": list("xxxxyyzz") + list("xxxxyyyz")})
    verdict = verify(table, k=2, quasi=["q"], models="entropy-l(ill, l=2.7)")
    assert verdict.models[1].level == pytest.approx(2.649, abs=1e-3)
    assert (verdict.models[1].ok, verdict.models[1].offending_count) == (False, 1)
    assert verify(table, k=2, quasi=["q"], models="entropy-l(ill, l=2.6)").ok


def test_a_model_is_told_the_order_of_the_values_and_may_ask_for_at_most(more_models):
    # 9 and 10 are one step apart, though as text 100 lies between them
    table = pa.table({"q": ["a", "a", "b", "b"], "paid": ["9", "10", "10", "100"]})
    assert verify(table, k=2, quasi=["q"], models="spread(paid, t=1)").ok
    table = table.set_column(1, "paid", pa.array(["9", "100", "10", "10"]))
    found = verify(table, k=2, quasi=["q"], models="spread(paid, t=1)").models[1]
    assert (found.level, found.ok, found.offending_count) == (2, False, 1)
    assert not is_at_least("spread")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pa.array(["10", "9", None, "100"]), [1, 0, 3, 2]),
        (pa.array([10, 9, 100]), [1, 0, 2]),
        (pa.array([0.5, -1.0, None]), [1, 0, 2]),
        (pa.array(["9", " 10"]), None),
        (pa.array(["9", "nan"]), None),
        (pa.array([dt.date(2024, 2, 1), dt.date(2023, 12, 31)]), [1, 0]),
        (pa.array(["2024-02-01", "2023-12-31"]), [1, 0]),
        (pa.array([True, False]), [1, 0]),
        (pa.array(["flu", "gout"]), None),
        (pa.array(["flu", "9"]), None),
    ],
)
def test_both_sides_know_the_own_order_of_values(values, expected):
    ranks = own_ranks(values)
    assert (None if ranks is None else ranks.tolist()) == expected
    kept = kept_column("x", values)
    own = kept.own_ranks()
    if pa.types.is_boolean(values.type) or expected is None:  # the maker has them as text, which has no order
        assert own is None
    else:
        assert own[kept.codes].tolist() == expected
