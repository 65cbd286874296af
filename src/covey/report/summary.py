"""Reports and verdicts as plain text for people: readable without colour, one fact a line."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from covey.checks import plural
from covey.report.document import Report
from covey.verifier import Verdict

__all__ = ["release_text", "verdict_text"]

_BAR = 24
_WIDTH = 86


def release_text(report: Report) -> str:
    """Return what a data steward needs to know of a release."""
    verdict = report.verdict
    rows = plural(report.released, "row")
    dropped = f", {plural(report.suppressed, 'row')} suppressed" if report.suppressed else ", none suppressed"
    lines = [
        f"{rows} released{dropped}; k = {report.k} holds",
        "",
        *_section("evidence", _evidence(verdict)),
        *_section("loss", _losses(report)),
        *_section("how", [_how(report)]),
        *_section("warning", report.warnings),
        *_section("limits", report.limits),
    ]
    return "\n".join(lines)


def _section(title: str, facts: Iterable[str]) -> list[str]:
    lines = [line for fact in facts for line in textwrap.wrap(fact, _WIDTH, subsequent_indent="  ")]
    return [f"  {title if i == 0 else '':<10}{line}" for i, line in enumerate(lines)]


def _evidence(verdict: Verdict) -> list[str]:
    facts = [
        (
            f"{plural(verdict.classes, 'class', 'classes')} of {verdict.smallest:,} to {verdict.largest:,} rows, "
            "recounted from the published cells"
        )
    ]
    if verdict.truthful is not None and verdict.truthful.ok:
        facts.append(f"every released value covers the original one, none lost or added ({verdict.truthful.kind})")
    return facts


def _losses(report: Report) -> list[str]:
    loss = report.loss
    facts = [
        f"{loss.mean_price:.1%} of the detail of the quasi columns, the mean price of a released cell",
        f"Total-IL {loss.total_il:,.1f}, GCP {loss.gcp:.1%}, C_avg {loss.c_avg:.2f}, DM {loss.dm:,}",
        "mean price of each column (share of its domain; any set costs all of it):",
    ]
    width = max((len(name) for name in loss.columns), default=0)
    for name, mean in loss.columns.items():
        facts.append(f"{name:<{width}}  {mean:7.1%}  {'#' * round(mean * _BAR)}".rstrip())
    return facts


def _how(report: Report) -> str:
    taken = sum(report.seconds.values())
    settings = [f"algorithm {report.algorithm}", f"seed {report.seed}", f"missing values: {report.missing}"]
    if report.ends != "exact":
        settings.append(f"ends {report.ends}")
    return f"{', '.join(settings)}; {taken:.1f} s, {report.peak_memory_mb:,.0f} MB at most"


def verdict_text(verdict: Verdict) -> str:
    """Return a verdict as text: one line per fact, the offending classes as released."""
    lines = [_headline(verdict), ""]
    lines += _section(
        "classes",
        [
            (
                f"{plural(verdict.classes, 'class', 'classes')} of {verdict.smallest:,} to {verdict.largest:,} rows "
                f"in {plural(verdict.rows, 'row')}"
            )
        ],
    )
    if verdict.starred_rows:
        counted = "not counted, as asked" if verdict.starred_ignored else "counted as a class like any other"
        starred = plural(verdict.starred_rows, "row")
        lines += _section("starred", [f"{starred} with `*` in every quasi column, {counted}"])
    lines += _section("fault", verdict.faults)
    if verdict.suppressed is not None:
        lines += _section("missing", [f"{plural(verdict.suppressed, 'row')} of the original left out"])
    if verdict.truthful is not None:
        lines += _section("truthful", _truth(verdict))
    if verdict.offending:
        lines += ["", f"{plural(verdict.offending_count, 'class', 'classes')} below k:"]
        for found in verdict.offending:
            cells = ", ".join(f"{name} = {'(missing)' if cell is None else cell}" for name, cell in found.cells.items())
            lines.append(f"  {plural(found.size, 'row')}: {cells}")
        if verdict.offending_count > len(verdict.offending):
            lines.append(f"  and {verdict.offending_count - len(verdict.offending):,} more")
    return "\n".join(lines)


def _headline(verdict: Verdict) -> str:
    if verdict.k is None:
        return f"the table is {verdict.level}-anonymous"
    holds = "holds" if all(model.ok for model in verdict.models) else "does NOT hold"
    return f"k = {verdict.k} {holds}: the smallest class has {plural(verdict.level, 'row')}"


def _truth(verdict: Verdict) -> list[str]:
    truth = verdict.truthful
    assert truth is not None
    if not truth.ok:
        return [f"NO ({truth.kind})", *truth.faults]
    covered = "every released value covers the original one"
    if not truth.complete:
        checked = len(set(truth.checked) - {one.column for one in truth.not_checked})
        covered = f"as far as checked, {plural(checked, 'column')} in full: {covered}"
    facts = [f"{covered} ({truth.kind})"]
    facts += [f"not checked: `{name}` ({reason})" for name, reason in truth.not_checked]
    return facts
