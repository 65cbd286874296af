"""An audit as one HTML page for the steward, which asks nothing of a network."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from covey.mining.audit_text import headline

if TYPE_CHECKING:
    from covey.mining.audit_result import Audit, ExposedSpan

__all__ = ["audit_html"]

_STYLE = """body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; } th, td { padding: .3rem .8rem; text-align: left; border-bottom: 1px solid #ccc; }
td.number { text-align: right; } .note { border-left: .3rem solid #b35900; padding-left: .8rem; }"""


def audit_html(audit: Audit) -> str:
    """Return the page; every text from the table or the model is escaped."""
    title = escape(headline(audit))
    return f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style></head>
<body>
<h1>{title}</h1>
<p class="note">These findings are for the steward: do not publish them with the model.</p>
{_exposed(audit)}
<h2>What the findings rest on</h2>
<p>Model: {escape(audit.model)}; {audit.rows:,} people, {audit.spans:,} spans.</p>
<p>Public: {escape(", ".join(audit.public)) or "nothing"}.</p>
{_list("Private", audit.domains)}
{_list("What else the model gives away", audit.warnings)}
</body>
</html>
"""


def _exposed(audit: Audit) -> str:
    if not audit.offending:
        return ""
    rows = "\n".join(map(_row, audit.offending))
    left_off = audit.exposed_spans - len(audit.offending)
    more = f"<p>And {left_off:,} more.</p>" if left_off else ""
    what = escape(audit.target or "class of the model")
    return f"""<h2>Who is exposed</h2>
<table>
<tr><th>who</th><th>people</th><th>{what}</th><th>commonest</th></tr>
{rows}
</table>{more}"""


def _row(span: ExposedSpan) -> str:
    labels = ", ".join(f"{people:,} {escape(label)}" for label, people in span.counts)
    return (
        f'<tr><td>{escape(span.words)}</td><td class="number">{span.people:,}</td>'
        f'<td>{labels}</td><td class="number">{span.commonest_share:.0%}</td></tr>'
    )


def _list(title: str, facts: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(fact)}</li>" for fact in facts)
    return f"<h3>{title}</h3><ul>{items}</ul>" if items else ""
