"""A job written back as TOML says the same when it is read again."""

import datetime as dt
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.ask.job import Job, read_job
from covey.ask.schema import Column, Schema
from covey.ask.settings import EFFORTS, ENDS, MISSING, ORDERS, RELEASES
from covey.ask.taxonomy import Taxonomy
from covey.base.errors import InputError

NAMES = st.text(max_size=12)
LABELS = st.lists(NAMES, min_size=2, max_size=5, unique=True)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53), 2**53)
NA = st.lists(NAMES | st.integers(-999, 999) | st.booleans() | st.dates(), max_size=3).map(tuple)
TREES = st.sampled_from(
    [
        {"Europe": {"North": ["Norway"], "France": []}, "Asia": ["India", "China"]},
        {"all": {"a": ["b", "c"], "d e": ['f"', "g\\"]}},
        {"Africa": ["Africa", "Mali"]},
        {"one": ["two", "three"]},
    ]
)


@st.composite
def quasi_columns(draw, name):
    kind = draw(
        st.sampled_from(["plain", "numeric", "date", "ordered", "flat", "tree", "intervals", "prefixes", "dates"])
    )
    facts = {"weight": draw(st.floats(0.01, 100)), "na": draw(NA)}
    if kind == "numeric":
        facts |= {
            "type": "numeric",
            "domain": sorted(draw(st.tuples(NUMBERS, NUMBERS))),
            "grid": draw(st.integers(1, 9)),
        }
    elif kind == "date":
        facts |= {"type": "date", "domain": sorted(draw(st.tuples(st.dates(), st.dates())))}
    elif kind == "ordered":
        facts |= {"type": "ordered", "order": draw(LABELS)}
    elif kind == "flat":
        facts |= {"type": "categorical", "domain": draw(LABELS)}
    elif kind == "tree":
        facts |= {"taxonomy": Taxonomy.from_dict(draw(TREES), name)}
    elif kind == "intervals":
        facts |= {"taxonomy": Taxonomy.intervals([5, 10], start=draw(st.integers(-9, 9)), name=name)}
    elif kind == "prefixes":
        facts |= {"taxonomy": Taxonomy.prefixes([3, 2], name)}
    elif kind == "dates":
        facts |= {"taxonomy": Taxonomy.dates(["month", "year"], name)}
    return Column(name, "quasi", **facts)


@st.composite
def jobs(draw):
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    first, *others = names
    columns = [
        draw(quasi_columns(first)),
        *(Column(name, draw(st.sampled_from(["sensitive", "other"]))) for name in others),
    ]
    release, effort = draw(st.sampled_from(RELEASES)), draw(st.sampled_from(EFFORTS))
    models = [f"frequency-l-diversity({name}, l=2.5)" for name in others[:1] if name.isidentifier() and name.isascii()]
    return Job(
        schema=Schema(tuple(columns)),
        k=draw(st.none() | st.integers(2, 99)),
        missing=draw(st.sampled_from(MISSING)),
        na=draw(NA),
        algorithm=draw(st.sampled_from(["covey", "mondrian(relaxed=true)"])),
        effort=effort,
        budget=draw(st.none() | st.sampled_from(["30s", 1.5])) if effort == "balanced" else None,
        suppression=draw(st.floats(0, 0.9)),
        release=release,
        ends="exact" if release == "centre" else draw(st.sampled_from(ENDS)),
        order=draw(st.none() | st.sampled_from(ORDERS)),
        seed=draw(st.integers(0, 10**9)),
        weights=draw(st.sampled_from(["declared", "adaptive"])),
        models=tuple(models),
        csv=draw(st.sampled_from([{}, {"separator": "\t", "header": False, "names": ["a", "b, c"]}, {"decimal": ","}])),
    )


@given(job=jobs())
def test_a_job_that_is_written_reads_as_it_was(job, tmp_path_factory):
    file = tmp_path_factory.mktemp("job") / "covey.toml"
    file.write_text(job.to_toml(), encoding="utf-8")
    assert read_job(file) == job


def test_an_estimator_is_written_by_its_name(tmp_path):
    job = Job(k=5, seed=3, algorithm=covey.KMember(7, seed=4, start=2))
    file = tmp_path / "covey.toml"
    file.write_text(job.to_toml())
    assert read_job(file) == replace(job, algorithm="k-member(seed=4, start=2)")
    assert 'algorithm = "mondrian"' in Job(algorithm=covey.Mondrian()).to_toml()

    class Own(covey.Mondrian):
        pass

    with pytest.raises(InputError, match="cannot be written"):
        Job(algorithm=Own()).to_toml()


def test_a_tree_of_a_file_is_written_out(tmp_path):
    (tmp_path / "place.csv").write_text("Oslo;Norway;*\nKiel;Germany;*\nBonn;Germany;*\n")
    file = tmp_path / "covey.toml"
    file.write_text('[columns.place]\nrole = "quasi"\ntaxonomy = "place.csv"\n')
    job = read_job(file)
    other = tmp_path / "again.toml"
    other.write_text(job.to_toml())
    assert "place.csv" not in other.read_text()
    assert read_job(other).schema == job.schema
    assert job.schema["place"].taxonomy.leaves == ("Oslo", "Kiel", "Bonn")


def test_a_date_that_means_missing_stays_a_date(tmp_path):
    file = tmp_path / "covey.toml"
    file.write_text(Job(na=(dt.date(1900, 1, 1),)).to_toml())
    assert read_job(file).na == (dt.date(1900, 1, 1),)


def test_numbers_of_numpy_are_written_as_numbers(tmp_path):
    age = Column("age", "quasi", weight=np.float64(2), domain=np.array([0, 120]))
    job = Job(Schema((age,)), k=np.int64(5), suppression=np.float64(0.02))
    file = tmp_path / "covey.toml"
    file.write_text(job.to_toml())
    assert read_job(file) == Job(Schema((Column("age", "quasi", weight=2.0, domain=(0, 120)),)), k=5, suppression=0.02)
