"""Algorithms by name, and the grammar NAME(option=value) they share with models."""

from __future__ import annotations

import json
import sys
import types

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from covey.ask.algorithms import ALGORITHMS, Entry, algorithm_named
from covey.ask.calls import Call, parse_call
from covey.base.errors import InputError


class Fake:
    """An algorithm with a seed and two options."""

    def __init__(self, k=5, *, seed=0, relaxed=False, widest="first"):
        self.k, self.seed, self.relaxed, self.widest = k, seed, relaxed, widest

    def get_params(self, deep=True):
        return {"k": self.k, "seed": self.seed, "relaxed": self.relaxed, "widest": self.widest}


class Plain:
    """An algorithm without a seed."""

    def __init__(self, k=5):
        self.k = k

    def get_params(self, deep=True):
        return {"k": self.k}


@pytest.fixture(autouse=True)
def known(monkeypatch):
    for made in (Fake, Plain):
        entry = Entry(made.__name__.lower(), "made_for_this_test", made.__name__, "a test", ignores_row_order=True)
        monkeypatch.setitem(ALGORITHMS, entry.name, entry)
    module = types.ModuleType("covey.search.made_for_this_test.estimator")
    module.Fake, module.Plain = Fake, Plain
    monkeypatch.setitem(sys.modules, module.__name__, module)


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("mondrian", Call("mondrian", (), ())),
        (" mondrian ( ) ", Call("mondrian", (), ())),
        ("mondrian(relaxed=true)", Call("mondrian", (), (("relaxed", True),))),
        ("m(a=1, b = 2.5,c=null)", Call("m", (), (("a", 1), ("b", 2.5), ("c", None)))),
        ("m(a=-3, b=1e3)", Call("m", (), (("a", -3), ("b", 1000.0)))),
        ('l-diversity("home, town)", l=3)', Call("l-diversity", ("home, town)",), (("l", 3),))),
        ("l-diversity(diagnosis, l=3)", Call("l-diversity", ("diagnosis",), (("l", 3),))),
        ('m([1, [2]], {"a": 1})', Call("m", ([1, [2]], {"a": 1}), ())),
        ('m(widest="last")', Call("m", (), (("widest", "last"),))),
        ("m(widest=last)", Call("m", (), (("widest", "last"),))),
        # names of columns need no quotes if they hold only letters, digits, _, - and .
        ("m(nullable)", Call("m", ("nullable",), ())),
        ("m(true-age, falsehood)", Call("m", ("true-age", "falsehood"), ())),
        ("m(2nd-name)", Call("m", ("2nd-name",), ())),
        ("m(_x, größe, a.b)", Call("m", ("_x", "größe", "a.b"), ())),
        ("m(1e+16, -2.5E+3)", Call("m", (1e16, -2500.0), ())),
        ("m(NaN, Infinity, -Infinity)", Call("m", ("NaN", "Infinity", "-Infinity"), ())),
    ],
)
def test_calls_are_read(text, call):
    assert parse_call(text) == call


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "5",
        "(a=1)",
        "m(",
        "m)",
        "m(a=)",
        "m(a=1",
        "m(a=1))",
        "m(a=1)(b=2)",
        "m(a b)",
        "m(,)",
        "m(a=1,)",
        "m(a=1,,b=2)",
        "m(home town)",
        "m('a')",
        'm("a)',
        "m(a=1) x",
        "m(=1)",
        "m(+5)",
        "m(a+b)",
        "m(1e+16x)",
        "m(a=[1)",
        "m(" + "[" * 100_000 + ")",
    ],
)
def test_what_is_no_call_is_refused(text):
    with pytest.raises(InputError) as caught:
        parse_call(text)
    assert caught.value.code == "bad-call"
    assert "mondrian(relaxed=true)" in caught.value.hint


def test_an_option_given_twice_is_refused():
    with pytest.raises(InputError, match="the option `a` is given twice"):
        parse_call("m(a=1, a=2)")


def test_a_number_too_long_to_read_is_text_not_a_crash():
    assert parse_call(f"m({'9' * 5000})").arguments == ("9" * 5000,)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,5}", fullmatch=True)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(values, max_size=3), st.dictionaries(names, values, max_size=3))
def test_a_call_written_out_reads_back(arguments, options):
    call = Call("m", tuple(arguments), tuple(options.items()))
    assert parse_call(str(call)) == call


def test_every_entry_has_the_name_it_is_found_by():
    assert all(name == entry.name for name, entry in ALGORITHMS.items())


def test_an_algorithm_gets_k_the_seed_and_its_options():
    found = algorithm_named("fake(relaxed=true, widest=last)", k=7, seed=3)
    assert found.get_params() == {"k": 7, "seed": 3, "relaxed": True, "widest": "last"}
    assert algorithm_named("fake(seed=9)", k=7, seed=3).seed == 9
    assert algorithm_named("plain", k=2, seed=3).get_params() == {"k": 2}


@pytest.mark.parametrize(
    ("spec", "code", "said"),
    [
        ("fakee", "unknown-algorithm", "there is no algorithm `fakee` (did you mean `fake`?)"),
        ("fake(relxed=true)", "unknown-option", "`fake` has no option `relxed` (did you mean `relaxed`?)"),
        ("fake(k=3)", "unknown-option", "`fake` has no option `k`"),
        ("plain(a=3)", "unknown-option", "`plain` has no option `a` (known: none)"),
        ("fake(true)", "bad-call", "an option of `fake` is given without its name"),
    ],
)
def test_what_an_algorithm_does_not_know_is_refused(spec, code, said):
    with pytest.raises(InputError) as caught:
        algorithm_named(spec, k=2)
    assert caught.value.code == code
    assert said in str(caught.value)


def test_options_read_back_as_json():
    assert str(parse_call('m("a b", l=3, x=true)')) == 'm("a b", l=3, x=true)'
    assert json.loads(str(parse_call("m(word)"))[2:-1]) == "word"
