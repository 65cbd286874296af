"""Taxonomies: trees over the values of a column, read from files, built by rules, checked by lint."""

from covey.ask.taxonomy.build import Dates, Intervals, Prefixes, Rule, RuleAmong
from covey.ask.taxonomy.faults import Finding, lint
from covey.ask.taxonomy.spec import SPEC_KEYS, taxonomy_from_spec, taxonomy_spec
from covey.ask.taxonomy.tree import Declared, Taxonomy, TaxonomyRule

__all__ = [
    "SPEC_KEYS",
    "Dates",
    "Declared",
    "Finding",
    "Intervals",
    "Prefixes",
    "Rule",
    "RuleAmong",
    "Taxonomy",
    "TaxonomyRule",
    "lint",
    "taxonomy_from_spec",
    "taxonomy_spec",
]
