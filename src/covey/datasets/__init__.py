"""Tables to try covey on: synthetic ones, and loaders for public ones that lie in `COVEY_DATA`."""

from covey.datasets.census import census_roles, census_taxonomies, make_census
from covey.datasets.hospital import hospital_roles, hospital_taxonomies, make_hospital
from covey.datasets.loaders import (
    load_acs_income,
    load_adult,
    load_casc,
    load_kdd,
    load_nist,
    load_small,
    load_taxonomy,
)

__all__ = [
    "census_roles",
    "census_taxonomies",
    "hospital_roles",
    "hospital_taxonomies",
    "load_acs_income",
    "load_adult",
    "load_casc",
    "load_kdd",
    "load_nist",
    "load_small",
    "load_taxonomy",
    "make_census",
    "make_hospital",
]
