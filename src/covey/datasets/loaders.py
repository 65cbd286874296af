"""Loaders of public tables that lie in the folder named by `COVEY_DATA`.

covey downloads nothing.  Where a file is absent, the error says which one, what it is and where it comes from.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pc_csv
import pyarrow.parquet as pq

from covey.ask.taxonomy import Taxonomy
from covey.base.checks import unknown
from covey.base.errors import InputError

__all__ = ["load_acs_income", "load_adult", "load_casc", "load_kdd", "load_nist", "load_small", "load_taxonomy"]


@dataclass(frozen=True, slots=True)
class _Source:
    """A file inside `COVEY_DATA`: what it is and who publishes it."""

    path: str
    what: str
    origin: str


_UCI = "UCI Machine Learning Repository, archive.ics.uci.edu"
_CENSUS = "US Census Bureau, American Community Survey, public use microdata"
_CASC = "the R package sdcMicro, which distributes the CASC reference sets"

_ADULT = {
    "train": _Source("adult/adult.data", "the training part of the Adult census extract", f"{_UCI}, data set Adult"),
    "test": _Source("adult/adult.test", "the test part of the Adult census extract", f"{_UCI}, data set Adult"),
}
_ACS = {
    "665k": _Source(
        "large/acs_income_2018_665k.parquet",
        "the ACSIncome table of 2018, 665,800 people",
        f"{_CENSUS}, 2018, prepared as by the package folktables",
    ),
    "295k": _Source(
        "large/acs_income_2018_295k.parquet",
        "a holdout of the ACS income survey of 2018, 295,243 people",
        f"{_CENSUS}, 2018",
    ),
}
_KDD = _Source(
    "large/census_income_kdd_test.parquet",
    "the test part of Census-Income (KDD)",
    f"{_UCI}, data set Census-Income (KDD)",
)
_NIST = _Source(
    "large/nist_acs_national2019.parquet",
    "the NIST Diverse Communities Data Excerpts, national, 2019",
    "NIST, Collaborative Research Cycle",
)
_CASC_SETS = {
    name: _Source(f"casc/{name}.csv", f"the CASC reference set {name}", _CASC)
    for name in ("census", "tarragona", "eia")
}
_SMALL = {
    name: _Source(f"small/{name}.csv", f"the table {name.capitalize()}", f"{_UCI}, data set {name.capitalize()}")
    for name in ("iris", "wine", "zoo")
}

_ADULT_COLUMNS = [
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "race",
    "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income",
]  # fmt: skip
_ADULT_NUMBERS = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")


def load_adult(part: str = "train", drop_missing: bool = True) -> pa.Table:
    """Return UCI Adult: 32,561 rows (`part="test"`: 16,281), 30,162 (15,060) of them without a missing value.

    Numbers are integers, categories dictionary columns; `?` is null.
    """
    source = _choose(part, _ADULT, "part")
    text = pc_csv.read_csv(
        _find(source),
        read_options=pc_csv.ReadOptions(column_names=_ADULT_COLUMNS, skip_rows=int(part == "test")),
        convert_options=pc_csv.ConvertOptions(column_types=dict.fromkeys(_ADULT_COLUMNS, pa.string())),
    )
    table = pa.table({name: _adult_column(text[name], name) for name in _ADULT_COLUMNS})
    return table.drop_null() if drop_missing else table


def load_acs_income(size: str = "665k") -> pa.Table:
    """Return the ACS income table of 2018: `"665k"` with 12 columns or `"295k"` with 32 and income in dollars."""
    return _read_parquet(_choose(size, _ACS, "size"))


def load_kdd() -> pa.Table:
    """Return the test part of Census-Income (KDD): 99,762 rows, 42 columns; `?` is kept as a value."""
    return _read_parquet(_KDD)


def load_nist() -> pa.Table:
    """Return the NIST excerpts of the ACS 2019: 27,253 rows, 24 columns; `N` (not applicable) is a value."""
    return _read_parquet(_NIST)


def load_casc(name: str) -> pa.Table:
    """Return a reference table of microaggregation: `census`, `tarragona` or `eia`."""
    return _read_csv(_choose(name, _CASC_SETS, "name"))


def load_small(name: str) -> pa.Table:
    """Return `iris`, `wine` or `zoo`."""
    return _read_csv(_choose(name, _SMALL, "name"))


def load_taxonomy(family: str, column: str) -> Taxonomy:
    """Return a tree from `hierarchies/`: families `adult`, `adult_tds` and `acs_income`."""
    families = {
        "adult": "the trees for Adult that come with ARX",
        "adult_tds": "the trees for Adult of Fung, Wang and Yu (2005)",
        "acs_income": "the trees for the ACS income tables",
    }
    if family not in families:
        raise unknown(f"there is no family of taxonomies `{family}`", family, families, code="unknown-dataset")
    file = "salary-class" if (family, column) == ("adult", "income") else column
    source = _Source(f"hierarchies/{family}/{file}.csv", f"one of {families[family]}", "the data folder of covey")
    return Taxonomy.from_file(_find(source))


def _adult_column(text: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Return one column typed: spaces stripped, `?` null, the full stop behind the labels of the test part gone."""
    text = pc.utf8_trim_whitespace(text)
    if name in _ADULT_NUMBERS:
        return text.cast(pa.int64())
    if name == "income":
        text = pc.utf8_rtrim(text, characters=".")
    return pc.if_else(pc.equal(text, "?"), pa.scalar(None, pa.string()), text).dictionary_encode()


def _read_parquet(source: _Source) -> pa.Table:
    return pq.read_table(_find(source)).replace_schema_metadata(None)


def _read_csv(source: _Source) -> pa.Table:
    """Return a comma-separated table with a header: numbers as numbers, text as dictionary columns."""
    return pc_csv.read_csv(
        _find(source), convert_options=pc_csv.ConvertOptions(auto_dict_encode=True, auto_dict_max_cardinality=100_000)
    )


def _choose(name: str, sources: dict[str, _Source], parameter: str) -> _Source:
    if name not in sources:
        fault = f"`{parameter}` names no table that covey knows: `{name}`"
        raise unknown(fault, name, sources, code="unknown-dataset")
    return sources[name]


def _find(source: _Source) -> Path:
    """Return the path of a file in `COVEY_DATA`, or say how to get it."""
    folder = os.environ.get("COVEY_DATA", "")
    if not folder:
        raise InputError(
            f"`{source.path}` ({source.what}) cannot be found because COVEY_DATA is not set",
            code="no-data-folder",
            hint=f"get it from {source.origin}, and set COVEY_DATA to the folder that holds `{source.path}`",
        )
    path = Path(folder) / source.path
    if not path.is_file():
        raise InputError(
            f"`{source.path}` ({source.what}) is not in the folder that COVEY_DATA names",
            code="no-such-file",
            hint=f"get it from {source.origin}, and put it into `{folder}` under this name",
        )
    return path
