"""What the classes of a release tell of its sensitive and target columns."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from covey.base.arrays import IntVector
from covey.columns.kept import value_codes
from covey.columns.typed import missing_rows
from covey.metrics import classification_metric, equal_diversity
from covey.release.product import Product
from covey.release.sources import Source
from covey.report import KeptValues
from covey.tables import frames

__all__ = ["kept_values"]


def kept_values(source: Source, product: Product) -> dict[str, KeptValues]:
    """Return what the classes tell of each sensitive or target column."""
    if not product.makes_classes:
        return {}
    guarded = product.labels >= 0
    rows = product.rows[guarded]
    lost = product.protected - len(rows)
    labels = np.concatenate([product.labels[guarded], np.full(lost, -1, np.int64)])
    found = {}
    for name, column in source.held(product.schema.names("sensitive", "target")).items():
        if column is None:
            continue
        values = frames.take_table(pa.table({name: column}), rows).column(0)
        codes = value_codes(values, meant=True)
        if codes is not None:
            codes = np.concatenate([codes, np.zeros(lost, np.int64)])
            wrong, alike = classification_metric(labels, codes), equal_diversity(labels, codes)
            untold = _rows_without_any(values, labels[: len(rows)])
            found[name] = KeptValues(
                product.schema[name].role, wrong, alike - untold, untold, product.protected, len(rows)
            )
    return found


def _rows_without_any(values: pa.ChunkedArray, labels: IntVector) -> int:
    """Return how many rows are in classes in which one kind of missing value is all there is."""
    absent = missing_rows(values)
    sizes, gone = np.bincount(labels), np.bincount(labels[absent], minlength=int(labels.max(initial=-1)) + 1)
    alike = gone == sizes
    if values.null_count:  # beside nulls, NaN is another value
        null = np.bincount(labels[values.is_null().to_numpy()], minlength=len(sizes))
        alike &= (null == 0) | (null == sizes)
    return int(sizes[alike].sum())
