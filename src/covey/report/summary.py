"""Reports and verdicts as plain text for people: readable without colour, one fact a line."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from fractions import Fraction

from covey.ask.models import is_at_least
from covey.base.checks import plural
from covey.base.printable import printable, printable_lines
from covey.report.document import Report
from covey.verifier import ModelVerdict, OffendingClass, Truth, Verdict
from covey.verifier.persons import ROWS_ONLY

__all__ = ["release_text", "verdict_text"]

_BAR = 24
_WIDTH = 86
_MOST_SIZES = 4


def release_text(report: Report) -> str:
    """Return what a data steward needs to know of a release."""
    rows = plural(report.released, "row")
    dropped = f", {plural(report.suppressed, 'row')} suppressed" if report.suppressed else ", none suppressed"
    dropped += f", {plural(report.exempt, 'row')} exempt" if report.exempt else ""
    guarantee = f"k = {report.k} holds" if report.makes_classes else f"{report.k}-consistent, without classes of k"
    if report.persons is not None and report.persons.breaks_k:
        guarantee += " for rows, NOT for persons"
    lines = [
        f"{rows} released{dropped}; {guarantee}",
        "",
        *_section("evidence", _evidence(report)),
        *_section("loss", _losses(report)),
        *_section("told", _told(report)),
        *_section("how", [_how(report)]),
        *_section("warning", report.warnings),
        *_section("limits", report.limits),
    ]
    return printable_lines(lines)


def _section(title: str, facts: Iterable[str]) -> list[str]:
    lines = [line for fact in facts for line in textwrap.wrap(printable(fact), _WIDTH, subsequent_indent="  ")]
    return [f"  {title if i == 0 else '':<10}{line}" for i, line in enumerate(lines)]


def _evidence(report: Report) -> list[str]:
    verdict = report.verdict
    shape = f"{plural(verdict.classes, 'class', 'classes')} of {verdict.smallest:,} to {verdict.largest:,} rows"
    facts = [f"{shape}, recounted from the published cells"] if report.makes_classes else []
    facts += [
        f"{model}: {model.asked:g} asked, {model.level:g} reached"
        for model in verdict.models
        if model.model != "k-anonymity"
    ]
    if report.exempt:
        facts.append(f"{plural(report.exempt, 'row')} of people who agreed, released as they are and in no class")
    if verdict.truthful is not None and verdict.truthful.ok:
        lost = "none lost or added" if not report.suppressed else "none added, none lost but the suppressed ones"
        facts.append(f"{_proved(verdict.truthful.kind)}, {lost} ({verdict.truthful.kind})")
    return facts


def _losses(report: Report) -> list[str]:
    loss = report.loss
    sizes = "" if loss.c_avg is None or loss.dm is None else f", C_avg {loss.c_avg:.2f}, DM {loss.dm:,}"
    weighted = " (both weighted)" if report.is_weighted else ""
    facts = [
        f"{loss.mean_price:.1%} of the detail of the quasi columns, the mean price of a released cell",
        f"Total-IL {loss.total_il:,.1f}, GCP {loss.gcp:.1%}{weighted}{sizes}",
        "mean price of each column (share of its domain; any set costs all of it):",
    ]
    width = max((len(name) for name in loss.columns), default=0)
    for name, mean in loss.columns.items():
        facts.append(f"{name:<{width}}  {mean:7.1%}  {'#' * round(mean * _BAR)}".rstrip())
    return facts


def _told(report: Report) -> list[str]:
    """Return what the classes tell of the sensitive and target columns."""
    facts = []
    for name, values in report.kept.items():
        untold = f" ({values.untold:,} more where it is missing for all)" if values.untold else ""
        facts.append(
            f"`{name}`: {values.ed:,} rows ({values.ed_share:.1%}) are in classes with one value{untold}; "
            f"guessing the commonest of the class is right for {values.attribute_risk:.1%}"
        )
    return facts


def _how(report: Report) -> str:
    taken = sum(report.seconds.values())
    settings = [f"algorithm {report.algorithm}", f"seed {report.seed}", f"missing values: {report.missing}"]
    if report.settings.get("budget"):
        settings.append(f"budget {report.settings['budget']:g} s")
    elif report.settings.get("effort") not in (None, "balanced"):
        settings.append(f"effort {report.settings['effort']}")
    if report.settings.get("suppression"):
        settings.append(f"suppression up to {report.settings['suppression']:.4g}")
    if report.is_weighted:
        settings.append("weights " + ", ".join(f"{name} {weight:g}" for name, weight in report.weights.items()))
    if report.learned_weights is not None:
        settings.append("learned weights " + ", ".join(f"{name} {w:.2f}" for name, w in report.learned_weights.items()))
    if report.ends != "exact":
        settings.append(f"ends {report.ends}")
    return f"{', '.join(settings)}; {taken:.1f} s, {report.peak_memory_mb:,.0f} MB at most"


def verdict_text(verdict: Verdict, *, show: bool = False) -> str:
    """Return a verdict as text, one line per fact.

    show: with the cells of classes that fail, as released.  They may be those of single people.
    """
    lines = [_headline(verdict), ""]
    lines += _section("classes", [_classes(verdict)])
    if verdict.exempt:
        lines += _section("consent", [f"{plural(verdict.exempt, 'row')} exempt: their people agreed"])
    lines += _section("models", [_model_line(model) for model in verdict.models[1:]])
    if verdict.starred_rows:
        counted = "not counted, as asked" if verdict.starred_ignored else "counted as a class like any other"
        starred = plural(verdict.starred_rows, "row")
        lines += _section("starred", [f"{starred} with `*` in every quasi column, {counted}"])
    lines += _section("persons", verdict.warnings or [ROWS_ONLY])
    lines += _section("fault", verdict.faults)
    if verdict.suppressed is not None:
        lines += _section("missing", [f"{plural(verdict.suppressed, 'row')} of the original left out"])
    if verdict.truthful is not None:
        lines += _section("truthful", _truth(verdict))
    if show:
        lines += _failing_classes("below k", verdict.offending, verdict.offending_count)
        for model in verdict.models[1:]:
            lines += _failing_classes(f"without {model}", model.offending, model.offending_count)
    else:
        lines += _section("below k", _sizes_below(verdict))
        if any(model.offending_count for model in verdict.models):
            lines += _section(
                "cells", ["`--show` prints those of the classes that fail; they may tell of single people"]
            )
    return printable_lines(lines)


def _sizes_below(verdict: Verdict) -> list[str]:
    """Return how many classes of each size are below k."""
    below = [(size, count) for size, count in verdict.sizes if size < (verdict.k or 0)]
    if not below:
        return []
    parts = [f"{plural(count, 'class', 'classes')} of {plural(size, 'row')}" for size, count in below[:_MOST_SIZES]]
    if len(below) > _MOST_SIZES:
        rest = sum(count for _, count in below[_MOST_SIZES:])
        parts.append(f"{plural(rest, 'class', 'classes')} of {below[_MOST_SIZES][0]:,} to {below[-1][0]:,} rows")
    return [", ".join(parts)]


def _headline(verdict: Verdict) -> str:
    k, *others = verdict.models
    but = _but(verdict) if k.ok else ""
    if not verdict.classes:
        held = "no row is protected" if verdict.k is None else f"k = {verdict.k} holds for nobody"
        return f"{held}: every row is exempt{but}"
    consistent = next((model for model in others if model.model == "k-consistency"), None)
    if verdict.k is None and consistent is not None and consistent.ok:
        return f"{consistent.level:g}-consistent, as asked; the smallest class of equal rows has {verdict.level:,}{but}"
    if verdict.k is None:
        return f"the table is {verdict.level}-anonymous{but}"
    holds = f"holds{_for_whom(verdict)}" if k.ok else "does NOT hold"
    return f"k = {verdict.k} {holds}: the smallest class has {plural(verdict.level, 'row')}{but}"


def _for_whom(verdict: Verdict) -> str:
    if verdict.only_rows:
        return " for rows, NOT for persons"
    found = verdict.persons
    return " for rows, unknown for persons" if found is not None and found.is_person and found.fewest is None else ""


def _but(verdict: Verdict) -> str:
    """Return why a table is not ok whose k holds, the gravest reason alone; nothing if it is."""
    truth = verdict.truthful
    if truth is not None and not truth.ok:
        return ", but NOT truthful"
    if verdict.faults:
        return ", but with faults"
    if not all(model.ok for model in verdict.models):
        return ", but NOT every model holds"
    is_unproven = truth is not None and not truth.complete and not verdict.unchecked_allowed
    return ", but NOT everything could be checked" if is_unproven else ""


def _classes(verdict: Verdict) -> str:
    rows = plural(verdict.rows, "row")
    if not verdict.classes:
        return f"no class in {rows}"
    sizes = f"{verdict.smallest:,} to {verdict.largest:,} rows"
    return f"{plural(verdict.classes, 'class', 'classes')} of {sizes} in {rows}"


def _model_line(model: ModelVerdict) -> str:
    asked = f"{model}: {_number(model.asked or 0)} asked"
    if model.ok:
        return f"{asked}, {_reached(model)} reached" if model.level else f"{asked}, nobody to protect"
    where = f" in {plural(model.offending_count, 'class', 'classes')} ({plural(model.offending_rows, 'row')})"
    return f"{asked}, {_reached(model)} reached, does NOT hold{where if model.offending_count else ''}"


def _number(number: float) -> str:
    return f"{int(number):,}" if number == int(number) else f"{number:,}"


def _reached(model: ModelVerdict) -> str:
    """Return a level cut after six places in the safe direction: what is nearly reached is not reached."""
    cut = math.floor if is_at_least(model.model) else math.ceil
    return _number(cut(Fraction(str(model.level)) * 10**6) / 10**6)


def _failing_classes(what: str, shown: Sequence[OffendingClass], count: int) -> list[str]:
    if not shown:
        return []
    lines = ["", f"{plural(count, 'class', 'classes')} {what}:"]
    for found in shown:
        cells = ", ".join(f"{name} = {'(missing)' if cell is None else cell}" for name, cell in found.cells.items())
        lines.append(f"  {plural(found.size, 'row')}: {cells}")
    if count > len(shown):
        lines.append(f"  and {count - len(shown):,} more")
    return lines


def _proved(kind: str) -> str:
    """Return what was proved of the released values; a centre covers nothing."""
    if kind == "recomputed":
        return "every released centre is that of its class, recomputed from the original values"
    return "every released value covers the original one"


def _what_to_give(truth: Truth) -> list[str]:
    """Return what to give if it was made otherwise than told, or cells do not cover because another tool wrote them."""
    if any("may be missing" in fault for fault in truth.faults):
        return ["if rows were left out on purpose: give --suppression SHARE, or the --job that says so"]
    if not any("cover" in fault or "assigned" in fault for fault in truth.faults):
        return []
    same = "what it was made with is to be told here too, in a --job or by options such as --na and --release centre"
    reads = "`--notation other` reads its labels, `--taxonomy COLUMN=FILE` its trees (such as `>17` with 17 below it)"
    others = f"if another tool made the table: {reads}; its cells for anything, such as NA, must be written `*`"
    return [same, others]


def _truth(verdict: Verdict) -> list[str]:
    truth = verdict.truthful
    assert truth is not None
    if not truth.ok:
        return [f"NO ({truth.kind})", *truth.faults, *_what_to_give(truth)]
    covered = _proved(truth.kind)
    if truth.complete:
        return [f"{covered} ({truth.kind})"]
    open_ = {one.column for one in truth.not_checked}
    how = "passed over, as asked" if verdict.unchecked_allowed else "NOT proven"
    facts = [f"{how}: {plural(len(open_), 'column')} could not be checked"]
    for why in dict.fromkeys(one.reason for one in truth.not_checked):
        names = dict.fromkeys(one.column for one in truth.not_checked if one.reason == why)
        facts.append(f"not checked: {', '.join(f'`{name}`' for name in names)} ({why})")
    checked = len(set(truth.checked) - open_)
    if truth.kind == "recomputed":
        facts.append(
            "covey proves its centres before rows are shuffled; --allow-unchecked accepts what nobody can check after"
        )
        covered = "kept as it was, or shown by recomputed centres"
    return facts + ([f"checked in full, {plural(checked, 'column')}: {covered} ({truth.kind})"] if checked else [])
