"""What an audit finds in association rules."""

from __future__ import annotations

from typing import Any

from covey.base.checks import plural
from covey.mining.audit.domains import listed_words
from covey.mining.audit.front import Found, Given, labels_of
from covey.mining.audit.training_table import fit_of_rules
from covey.mining.centres.audit import is_array
from covey.mining.faults import bad_domain, what_training_leaves
from covey.mining.rules.rules import read_rules, rule_spans

__all__ = ["found_in_rules", "rules_of"]


def rules_of(model: Any) -> Any:
    """Return rules in a form that `rule_spans` reads; None if the model is something else."""
    if hasattr(model, "rules_"):
        model = model.rules_
    elif hasattr(model, "columns") and hasattr(model, "iloc"):
        return model if "antecedents" in list(model.columns) else None
    return model if isinstance(model, list | tuple) and not is_array(model) else None


def found_in_rules(rules: Any, given: Given) -> Found:
    """Return what is found in association rules."""
    if given.domains:
        raise bad_domain(
            "a domain is given, but private items have none: each is there or not", "leave the domains out"
        )
    unread = "the rules of the model are not (left, right, support, confidence) each"
    with what_training_leaves(unread, TypeError, ValueError, LookupError):  # another library's `rules_`, say
        rules = read_rules(rules)
    found = rule_spans(rules, given.table, given.public, digits=given.digits)
    known = frozenset(found.public_items)
    private = sorted({item for rule in found.rules for item in (*rule.left, *rule.right)} - known)
    wrong = sum(not counts.agrees for counts in found.counts)
    has_shares = any(counts.both_implied is not None for counts in found.counts)
    fit = given.fit(lambda: fit_of_rules(wrong, len(found.rules), has_shares))
    return Found(
        model=plural(len(found.rules), "association rule"),
        of_rows=found,
        private=tuple(private),
        domains=(f"{listed_words(private)}: there or not",) if private else (),
        warnings=(),
        fit=fit,
        labels=None if isinstance(given.table, list | tuple) else labels_of(given),
    )
