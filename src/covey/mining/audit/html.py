"""An audit as one HTML page for the steward: no script, nothing from a network, fit for print and for dark screens."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from covey.base.checks import plural
from covey.mining.audit.text import entropy_text, fit_text, headline, kept_together, label_text, more_spans, plain

if TYPE_CHECKING:
    from covey.mining.audit.result import Audit, ExposedSpan

__all__ = ["audit_html"]

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --paper: #fff; --box: #f6f8fa;
  --bad: #b3261e; --bad-box: #fdecea; --good: #1a6b3c; --good-box: #e8f5ec; --care: #9a6700; --care-box: #fff8e5;
  --s1: #b3261e; --s2: #57606a; --s3: #9aa4af; --s4: #ccd3da; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9aa7b4; --line: #30363d; --paper: #0d1117;
  --box: #161b22; --bad: #ff8a80; --bad-box: #3a1714; --good: #7ee2a8; --good-box: #12301f; --care: #f0c050;
  --care-box: #2e2510; --s1: #e0564b; --s2: #8b98a5; --s3: #5d6873; --s4: #3d444d; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; color: var(--ink);
  background: var(--paper); max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem 3rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: .1rem 0 .4rem; } h2 { font-size: 1.25rem; margin: 2.2rem 0 .6rem; }
p { margin: .5rem 0; max-width: 48rem; } ul, ol { margin: .5rem 0; padding-left: 1.3rem; max-width: 48rem; }
li { margin: .3rem 0; } code { font: .92em ui-monospace, Consolas, monospace; overflow-wrap: anywhere; }
.verdict { border-left: .4rem solid; border-radius: .3rem; padding: .9rem 1.2rem; }
.verdict p { margin: 0; } .kind { font-size: .85rem; color: var(--soft); }
.bad { background: var(--bad-box); border-color: var(--bad); } .bad h1 { color: var(--bad); }
.good { background: var(--good-box); border-color: var(--good); } .good h1 { color: var(--good); }
.note { background: var(--care-box); border-left: .4rem solid var(--care); border-radius: .3rem; max-width: none;
  padding: .5rem 1.2rem; margin: .8rem 0 0; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .8rem; margin: 1rem 0 0; }
.figures div { background: var(--box); border: 1px solid var(--line); border-radius: .3rem; padding: .6rem .9rem;
  display: flex; flex-direction: column; justify-content: space-between; }
.figures dt { font-size: .85rem; color: var(--soft); } .figures dd { margin: 0; }
.figures strong { font-size: 1.5rem; line-height: 1.3; } .figures span { color: var(--soft); }
table { border-collapse: collapse; width: 100%; } thead { display: table-header-group; }
th { text-align: left; font-size: .85rem; color: var(--soft); font-weight: 600; vertical-align: bottom; }
th, td { padding: .45rem .9rem .45rem 0; border-bottom: 1px solid var(--line); }
td { vertical-align: top; overflow-wrap: anywhere; unicode-bidi: isolate; } tr { break-inside: avoid; }
th.number, td.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td.learned { width: 38%; } th:last-child, td:last-child { padding-right: 0; }
.bar { display: flex; height: .5rem; border-radius: .25rem; overflow: hidden; background: var(--box);
  margin: .5rem 0 .3rem; }
.bar i { display: block; height: 100%; } .s1 { background: var(--s1); } .s2 { background: var(--s2); }
.s3 { background: var(--s3); } .s4 { background: var(--s4); }
.labels { font-size: .92rem; } .labels b { font-weight: 600; } .labels span { color: var(--soft); }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1.4rem; margin: .5rem 0; }
.facts dt { color: var(--soft); } .facts dd { margin: 0; overflow-wrap: anywhere; unicode-bidi: isolate; }
footer { margin-top: 2.5rem; padding-top: .6rem; border-top: 1px solid var(--line); font-size: .85rem;
  color: var(--soft); }
@media (max-width: 40rem) { .facts { grid-template-columns: 1fr; gap: 0; } .facts dd { margin-bottom: .5rem; } }
@media print { @page { margin: 16mm; } :root { font-size: 10pt; }
  body { max-width: none; padding: 0; font-size: 1rem; line-height: 1.35; }
  .figures { grid-template-columns: repeat(auto-fit, minmax(7rem, 1fr)); } .figures strong { font-size: 1.25rem; }
  h2 { break-after: avoid; margin-top: 1.4rem; } th, td { padding-top: .25rem; padding-bottom: .25rem; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_QUOTED = re.compile("`([^`]+)`")
_SHORT = 24  # labels that stand side by side
_MOST_PARTS = 4
"""Labels of one span that are shown, and parts of its bar."""
_NAMES_GROUPS = "These findings name small groups of people: do not publish them with the model."
_KEEP = "Do not publish these findings with the model."
_LEARNED = """Whoever knows the public columns of a person finds the line below that fits, and learns what stands
at its right: the fewer rows share it, and the larger the first part of the bar, the more."""
_KNOWN_TARGET = """Whoever knows the public columns of a person finds the line below that fits. The fewer rows share
it, the more of what the model tells of their private columns is told of one of them."""
_IF_ROWS = (
    "Do not let the model out: whoever has the file has rows of the table, whatever k is.",
    "Train a model that keeps none, such as a tree, a forest or centres, and audit that.",
)
_IF_EXPOSED = (
    "Do not let the model out as it is.",
    """Learn one that exposes nobody instead: covey's <code>KAnonymousTree</code>, <code>KAnonymousClusters</code> or
<code>KAnonymousRules</code>, with <code>k={k}</code> and the same public columns.""",
    """Or take detail from the public columns that stand in the list (ages in bands, regions for towns), or leave them
out, and train again. Larger leaves help, and may not be enough: a span can be smaller than every leaf.""",
    """Check above what the private columns may be: the spans rest on it, and <code>--domain</code> changes it.""",
    "Audit again with the same public columns and the same k.",
)
_RESTS = """Check that the public columns are all that others can know of a person, and that the table is the one that
the model was trained on: the verdict rests on both."""
_RESTS_ON_PUBLIC = "Check that the public columns are all that others can know of a person: the verdict rests on it."
_SAME = """In some span all rows have the same {target}: they are {k} or more, and their value is known. If that must
not be, ask <code>KAnonymousTree</code> for <code>l</code>."""
_ONE_ROW_EACH = "Make one row per person, train again and audit that: k rows of a span are fewer than k persons here."
_OTHER_TABLE = "Audit with the training table: these findings are of other people than the model was learned from."
_LABEL_CELLS = """Look at the leaves yourself if output checkers ask for it: a class that never occurs in a leaf, or
that few of its people have, is not yet counted here."""
_FILE = "Take out of the file what else it gives away, listed above, or decide that it may be known."
_TOGETHER = "Two models from the same people can tell more together than each alone: keep an account of those let out."


def audit_html(audit: Audit) -> str:
    """Return the page; every text from the table or the model is escaped."""
    from covey import __version__

    verdict, _, sentence = headline(audit).partition(": ")
    verdict = verdict.replace("NOT", "not") if audit.ok else verdict.replace("NOT", "Not")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<title>{verdict}: audit of a trained model</title>
<style>{_STYLE}</style>
</head>
<body>
<header class="verdict {"good" if audit.ok and not audit.only_rows else "bad"}">
<p class="kind">Audit of a trained model</p>
<h1>{verdict}</h1>
<p>{sentence[:1].upper()}{sentence[1:]}.</p>
</header>
<p class="note"><strong>For the steward.</strong> {_NAMES_GROUPS if audit.offending else _KEEP}</p>
{_figures(audit)}
{_exposed(audit)}
<h2>What the findings rest on</h2>
{_rest(audit)}
<h2>What {"" if audit.holds_rows else "else "}the model gives away</h2>
{_given_away(audit)}
<h2>What to do next</h2>
<ol>
{_items(_next_steps(audit))}
</ol>
<footer>covey {escape(__version__)}</footer>
</body>
</html>
"""


def _safe(text: str) -> str:
    return escape(plain(text))


def _code(text: str) -> str:
    return f"<code>{_safe(text)}</code>"


def _figures(audit: Audit) -> str:
    """Return the numbers that the verdict comes from."""
    told = [
        ("rows that must share what is told (k)", f"{audit.k:,}", ""),
        ("rows in the table", f"{audit.rows:,}", ""),
    ]
    if audit.holds_rows:
        told.append(("rows that may be stored", f"{audit.exposed_people:,}", "at the most"))
    else:
        share = f"{audit.exposed_people / audit.rows:.1%} of all" if audit.rows else ""
        told.append(("rows exposed", f"{audit.exposed_people:,}", share))
        told.append(("smallest span that tells anything", f"{audit.k_reached:,}", f"{audit.k} asked for"))
        told.append(("spans of fewer rows", f"{audit.exposed_spans:,}", f"of {audit.spans:,}"))
    if audit.l_reached is not None and audit.target not in audit.public:
        entropy = f"entropy l = {entropy_text(audit)}"
        told.append((f"least values of {audit.target} in a span", f"{audit.l_reached:,}", entropy))
    tiles = "\n".join(
        f"<div><dt>{_safe(what)}</dt><dd><strong>{number}</strong> <span>{beside}</span></dd></div>"
        for what, number, beside in told
    )
    return f'<dl class="figures">\n{tiles}\n</dl>'


def _exposed(audit: Audit) -> str:
    if not audit.exposed_spans:
        return ""
    rows = "\n".join(map(_row, audit.offending))
    more = more_spans(audit)
    hint = "; <code>--shown</code> lists more" if more else ""
    what, learned = _learned(audit)
    table = f"""<p>{learned}</p>
<table>
<thead><tr><th>who</th><th class="number">rows</th><th>{what}</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>"""
    return f"""<h2>Who is exposed</h2>
{table if audit.offending else ""}
{f"<p>{more[:1].upper()}{more[1:]}{hint}.</p>" if more else ""}"""


def _learned(audit: Audit) -> tuple[str, str]:
    """Return what stands at the right of an exposed group, and what the list means."""
    if audit.target is not None and audit.target in audit.public:
        return f"their {_code(audit.target)}, which is public", _KNOWN_TARGET
    what = f"what others learn of {_code(audit.target)}" if audit.target else "the class of the model"
    return what, _LEARNED


def _row(span: ExposedSpan) -> str:
    parts = _parts(span)
    bar = "".join(f'<i class="s{i}" style="width:{people / span.people:.2%}"></i>' for i, (_, people) in parts)
    between = ", " if all(len(label) <= _SHORT for _, (label, _) in parts) else "<br>"
    labels = between.join(_label(label, people, span.people) for _, (label, people) in parts)
    return (
        f'<tr><td>{escape(kept_together(plain(span.words)))}</td><td class="number">{span.people:,}</td>'
        f'<td class="learned"><div class="bar">{bar}</div><div class="labels">{labels}</div></td></tr>'
    )


def _label(label: str, people: int, of: int) -> str:
    if people == of:
        return f"{'all ' if of > 1 else ''}<b>{_safe(label)}</b>"
    return f"<b>{_safe(label)}</b> {people / of:.0%} <span>({people:,})</span>"


def _parts(span: ExposedSpan) -> list[tuple[int, tuple[str, int]]]:
    """Return the labels of a span, numbered from 1; the last one stands for all others if there are many."""
    counts = [(label_text(label), people) for label, people in span.counts]
    if len(counts) > _MOST_PARTS:
        others = counts[_MOST_PARTS - 1 :]
        counts[_MOST_PARTS - 1 :] = [(plural(len(others), "other label"), sum(people for _, people in others))]
    return list(enumerate(counts, 1))


def _rest(audit: Audit) -> str:
    model_file, table_file = (f" ({_code(name)})" for name in audit.source) if audit.source else ("", "")
    fits = "" if audit.holds_rows else f"; it {fit_text(audit)}"
    facts = [
        ("model", _safe(audit.model) + model_file + (f", {plural(audit.spans, 'span')}" if audit.spans else "")),
        ("table", f"{plural(audit.rows, 'row')}{table_file}{fits}"),
        ("public", ", ".join(map(_code, audit.public)) or "nothing"),
    ]
    if audit.of_persons:
        facts.append(("persons", _QUOTED.sub(r"<code>\1</code>", _safe(audit.of_persons))))
    domains = [_domain(fact) for fact in audit.domains]
    if audit.target is not None and audit.target in audit.private:
        domains.append(f"{_code(audit.target)}: what the model tells")
    if domains:
        facts.append(("private", "<br>\n".join(domains)))
    if audit.target_found:
        facts.append(("target", f"{_code(str(audit.target))}, told by its values"))
    facts += [("not yet checked", _safe(what)) for what in audit.not_checked]
    if audit.smallest_span is not None:
        facts.append(("smallest span of any kind", plural(audit.smallest_span, "row")))
    return '<dl class="facts">\n' + "\n".join(f"<dt>{what}</dt><dd>{fact}</dd>" for what, fact in facts) + "\n</dl>"


def _domain(fact: str) -> str:
    name, colon, values = fact.rpartition(": ")
    return f"{_code(name)}: {_safe(values)}" if colon else _safe(fact)


def _given_away(audit: Audit) -> str:
    given_away = [fact for fact in audit.warnings if fact != audit.of_persons]
    if given_away:
        facts = [_QUOTED.sub(r"<code>\1</code>", _safe(fact)) for fact in given_away]
        return f"<ul>\n{_items(facts)}\n</ul>"
    return (
        "<p>Nothing that an audit looks for: small counts in nodes, thresholds or centres that are the values of few "
        "people, rows or entries per row.</p>"
    )


def _next_steps(audit: Audit) -> list[str]:
    """Return what a steward can do, by what was found."""
    if audit.holds_rows:
        return list(_IF_ROWS)
    if not audit.ok:
        return [step.format(k=audit.k) for step in _IF_EXPOSED]
    same = audit.l_reached == 1 and audit.target is not None and audit.target not in audit.public
    return [
        *([_ONE_ROW_EACH] if audit.only_rows else []),
        *([_OTHER_TABLE] if audit.other_table else []),
        _RESTS if audit.table_fits is None else _RESTS_ON_PUBLIC,
        _LABEL_CELLS,
        *([_SAME.format(target=_code(str(audit.target)), k=audit.k)] if same else []),
        *([_FILE] if set(audit.warnings) - {audit.of_persons} else []),
        _TOGETHER,
    ]


def _items(facts: Iterable[str]) -> str:
    return "\n".join(f"<li>{fact}</li>" for fact in facts)
