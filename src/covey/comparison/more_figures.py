"""The figures of a comparison that are computed only if they are asked for: measures of the papers beyond loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from covey import metrics
from covey.ask.calls import Call, parse_call
from covey.base.arrays import IntVector
from covey.base.checks import bad_parameter, did_you_mean, listed
from covey.codes.codes import TableCodes
from covey.columns.kept import KeptColumn

__all__ = ["FIGURES", "asked_figures", "more_figures"]

FIGURES = {
    "sd": "sd",
    "nn-error": "nearest_neighbour_error",
    "distortion": "information_distortion",
    "diameter": "diameter_cost",
    "centre": "centre_cost",
}
"""What can be asked for, and the field of `Row` that holds it; but for `sd` the measure has the same name."""


def asked_figures(asked: Sequence[str] | str | None, target: str | None, sensitive: str | None) -> tuple[Call, ...]:
    """Return what is asked for, each once; raise `InputError` for what there is not.

    >>> [call.name for call in asked_figures(["diameter", "sd(HIV)"], None, "ill")]
    ['diameter', 'sd']
    """
    given = [asked] if isinstance(asked, str) else list(asked or ())
    calls = {call.name: call for call in map(_call, given)}
    if "sd" in calls and not calls["sd"].arguments:
        raise bad_parameter("`sd` needs the values that are truly sensitive", 'for example "sd(HIV, cancer)"')
    for name, column in (("sd", sensitive), ("nn-error", target)):
        if name in calls and column is None:
            raise bad_parameter(
                f"`{name}` needs a sensitive or target column, and there is none",
                "name one with `sensitive` or `target`",
            )
    return tuple(calls.values())


def _call(text: object) -> Call:
    call = parse_call(text) if isinstance(text, str) else Call("", (), ())
    if call.name not in FIGURES:
        raise bad_parameter(
            f"there is no metric `{call.name}` to compare by; there are {listed(FIGURES)}",
            did_you_mean(call.name, FIGURES),
        )
    if call.options or (call.arguments and call.name != "sd"):
        raise bad_parameter(f"`{call.name}` takes no such option", f'give it as "{call.name}"')
    return call


def more_figures(
    asked: Sequence[Call],
    codes: TableCodes,
    labels: IntVector,
    target: KeptColumn | None,
    sensitive: KeptColumn | None,
    release: str,
) -> dict[str, Any]:
    """Return the figures that are asked for; labels (n,): the class of each row, -1 if it is left out."""
    found: dict[str, Any] = {}
    for call in asked:
        name = FIGURES[call.name]
        if call.name == "sd" and sensitive is not None:
            wanted = {str(value) for value in call.arguments}
            truly = {code for code, value in enumerate(sensitive.values) if value in wanted}
            found[name] = metrics.sensitive_diversity(labels, sensitive.codes, truly)
        elif call.name == "nn-error" and target is not None:
            by: Literal["interval", "centre"] = "centre" if release == "centre" else "interval"
            found[name] = metrics.nearest_neighbour_error(codes, labels, target.codes, release=by)
        elif call.name not in ("sd", "nn-error"):  # those look at nothing but the quasi columns of the classes
            found[name] = float(getattr(metrics, name)(codes, labels))
    return found
