"""Every measure is described, in the registry and on its page, and can be had from `covey.metrics`."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from covey import metrics
from covey.metrics import METRICS, Losses

PAGE = Path(__file__).parents[2] / "docs" / "loss.md"


def test_every_measure_is_a_field_of_the_losses_or_a_function() -> None:
    fields = {field.name for field in dataclasses.fields(Losses)}
    functions = set(metrics.__all__) - {"METRICS", "Metric", "Losses", "Published", "measure"}
    assert set(METRICS) == fields | functions
    assert not fields & functions
    for name in functions:
        assert callable(getattr(metrics, name))


def test_every_measure_is_described() -> None:
    for name, metric in METRICS.items():
        assert metric.name == name
        assert metric.better == "lower"
        assert all((metric.title, metric.formula, metric.range, metric.source))


@pytest.mark.parametrize("name", METRICS)
def test_the_page_lists_every_measure_as_the_registry_does(name: str) -> None:
    metric = METRICS[name]
    line = f"| {metric.title} | `{name}` | {metric.formula} | {metric.range} | {metric.better} | {metric.source} |"
    assert line in PAGE.read_text(encoding="utf-8").splitlines()


def test_a_name_that_is_not_there_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match=r"module 'covey.metrics' has no attribute 'nothing'"):
        metrics.nothing  # noqa: B018


def test_losses_risks_and_the_registry_need_no_compiled_kernels() -> None:
    code = (
        "import sys; from covey.metrics import METRICS, Losses, equal_diversity; import covey.metrics.loss;"
        "print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
