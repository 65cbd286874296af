"""Checks of parameters, the words of hints, and the errors that carry them."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from covey.base.checks import at_least, check, did_you_mean, listed, one_of, optional, plural
from covey.base.errors import (
    CoveyError,
    Infeasible,
    InputError,
    MachineError,
    UnknownColumn,
    VerificationFailed,
)


class Thing:
    checks = {"k": at_least(2), "mode": one_of("fast", "best"), "start": optional(at_least(0))}

    def __init__(self, k=2, mode="fast", start=None):
        self.k, self.mode, self.start = k, mode, start


@pytest.mark.parametrize("value", [2, 3, 2**63 - 1, np.int64(2), np.uint8(7)])
def test_whole_numbers_from_the_least_on_pass(value):
    assert at_least(2)(value) is None


@pytest.mark.parametrize("value", [2**63, 10**30, 10**5000], ids=["63 bits", "31 digits", "5,001 digits"])
def test_a_number_that_no_column_of_64_bits_holds_is_refused_without_its_digits(value):
    assert at_least(2)(value) == "from 2 to 9223372036854775807"


@pytest.mark.parametrize("value", [1, 0, -1, np.int64(1)])
def test_a_smaller_number_is_named(value):
    assert at_least(2)(value) == f"at least 2, not {int(value)}"


@pytest.mark.parametrize("value", [2.0, "2", None, True, np.float64(3), [2]])
def test_what_is_no_whole_number_is_named_by_its_type_only(value):
    assert at_least(2)(value) == f"a whole number of 2 or more, not {type(value).__name__}"


@pytest.mark.parametrize("value", ["Fast", None, 1, ["fast"], np.array(["fast", "best"])])
def test_one_of_takes_only_what_is_listed(value):
    assert one_of("fast", "best")(value) == "one of 'fast', 'best'"
    assert one_of("fast", "best")("best") is None


def test_one_of_tells_true_from_one():
    assert one_of(1, 2)(True) is not None
    assert one_of(True, False)(1) is not None


def test_check_names_the_parameter_and_the_class():
    check(Thing())
    check(Thing(start=0))
    with pytest.raises(InputError) as caught:
        check(Thing(k=1))
    assert caught.value.message == "`k` of Thing must be at least 2, not 1"
    assert caught.value.code == "bad-parameter"
    with pytest.raises(InputError, match="`mode` of Thing must be one of 'fast', 'best'"):
        check(Thing(mode="slow"))
    with pytest.raises(InputError, match="`start` of Thing must be at least 0, not -1"):
        check(Thing(start=-1))


def test_hints_name_the_nearest_word_or_list_what_is_known():
    assert did_you_mean("qausi", ["quasi", "other"]) == "did you mean `quasi`?"
    assert did_you_mean("zzz", ["quasi", "other"]) == "known: `quasi`, `other`"
    assert did_you_mean("zzz", []) == "known: none"


def test_lists_of_names_end_after_ten():
    names = [f"c{i}" for i in range(1, 13)]
    assert listed(names[:10]) == ", ".join(f"`{name}`" for name in names[:10])
    assert listed(names).endswith("`c10` and 2 more")
    assert listed(f"c{i}" for i in range(2000)).endswith("and 1,990 more")


def test_counts_agree_with_their_nouns():
    assert plural(0, "row") == "0 rows"
    assert plural(1, "class", "classes") == "1 class"
    assert plural(12345, "class", "classes") == "12,345 classes"


@pytest.mark.parametrize("kind", [CoveyError, InputError, UnknownColumn, Infeasible, VerificationFailed, MachineError])
def test_errors_say_what_is_wrong_and_what_to_do_also_after_a_copy(kind):
    error = kind("the thing is wrong", code="wrong-thing", hint="correct it")
    assert str(error) == "the thing is wrong (correct it)"
    for twin in (copy.copy(error), pickle.loads(pickle.dumps(error))):  # noqa: S301 (our own bytes)
        assert type(twin) is kind
        assert (twin.message, twin.code, twin.hint, str(twin)) == (error.message, error.code, error.hint, str(error))
    assert str(kind("no hint here", code="x")) == "no hint here"


def test_errors_are_also_the_builtin_kind_that_fits():
    assert issubclass(InputError, ValueError)
    assert issubclass(UnknownColumn, InputError)
    assert issubclass(UnknownColumn, KeyError)
    assert not issubclass(Infeasible, ValueError)
