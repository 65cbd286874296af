"""The domain of a quasi column: what the distinct values of each type are, in which order and how far apart."""

from covey.columns.domains.domain import Domain
from covey.columns.domains.positions import as_plain, scale_positions
from covey.columns.domains.readers import read_domain

__all__ = ["Domain", "as_plain", "read_domain", "scale_positions"]
