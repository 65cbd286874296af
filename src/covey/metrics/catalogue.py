"""Every measure of covey by name: formula, range, direction and source."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["METRICS", "Metric"]


@dataclass(frozen=True, slots=True)
class Metric:
    """What a number means."""

    name: str
    """The field of `Losses` that holds it, or the function of `covey.metrics` that computes it."""
    title: str
    """As the field calls it."""
    formula: str
    range: str
    better: str
    source: str


METRICS = {
    metric.name: metric
    for metric in (
        Metric("total_il", "Total-IL", "sum over rows and columns of weight x price of the released cell",
               "0 to rows x weights", "lower", "Byun et al. 2007"),
        Metric("mean_price", "mean price", "mean over rows and columns of the price of the released cell, unweighted",
               "0 to 1", "lower", "Byun et al. 2007"),
        Metric("columns", "loss per column", "for each quasi column the mean over rows of the price of the cell",
               "0 to 1", "lower", "Byun et al. 2007"),
        Metric("ncp", "NCP", "sum over rows and columns of weight x share of the domain that the cell covers",
               "0 to rows x weights", "lower", "Xu et al. 2006"),
        Metric("gcp", "GCP", "NCP / (rows x sum of weights)", "0 to 1", "lower", "Ghinita et al. 2007"),
        Metric("ordered_ncp", "NCP by order",
               "as NCP, with the values of every column in one order: (last - first) / domain",
               "0 to rows x weights", "lower", "He et al. 2012, definition 1"),
        Metric("dm", "DM", "sum over classes of rows squared, + all rows for each suppressed one",
               "rows to rows squared", "lower", "Bayardo and Agrawal 2005"),
        Metric("c_avg", "C_avg", "released rows / classes / k", "1 and more", "lower", "LeFevre et al. 2006"),
        Metric("diameter_cost", "diameter cost", "sum over classes of rows x greatest distance between two of them",
               "0 to Total-IL", "lower", "Byun et al. 2007, definition 3"),
        Metric("centre_cost", "k-centre cost", "greatest distance between two rows of one class",
               "0 to weights", "lower", "Kabir et al. 2010, equation 4"),
        Metric("information_distortion", "information distortion",
               "sum over rows and columns of weight x squared difference to the class centre",
               "0 to rows x weights", "lower", "Chiu and Tsai 2007, equation 4"),
        Metric("sse_over_sst", "SSE / SST",
               "squared differences to class means / to the overall mean, standardised columns",
               "0 to 1", "lower", "Domingo-Ferrer and Mateo-Sanz 2002"),
        Metric("classification_metric", "CM", "rows that are suppressed or not of their class's commonest label",
               "0 to rows", "lower", "Iyengar 2002"),
        Metric("classification_share", "CM share", "CM / rows", "0 to 1", "lower", "Iyengar 2002"),
        Metric("nearest_neighbour_error", "1-NN error",
               "mean over rows of the share of the nearest released rows, other than their own, with another label",
               "0 to 1", "lower", "Chiu and Tsai 2007, section 3.2"),
        Metric("range_query_error", "query error",
               "median over random count queries of abs(estimate - count) / max(count, 0.1 % of rows)",
               "0 and more", "lower", "LeFevre et al. 2006, Xiao and Tao 2006"),
        Metric("equal_diversity", "ED", "rows in classes with one sensitive value", "0 to rows", "lower",
               "Byun et al. 2007, section 5.1"),
        Metric("sensitive_diversity", "SD", "rows in classes whose one sensitive value is a truly sensitive one",
               "0 to ED", "lower", "Byun et al. 2007, section 5.1"),
    )
}  # fmt: skip
