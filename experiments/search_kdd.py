"""How little covey's searches lose on 99,762 rows of a census, with ten and with twenty quasi columns.

COVEY_DATA=... python experiments/search_kdd.py
"""

from __future__ import annotations

from results import Section, run_script
from search import write_large


def main() -> None:
    run_script("search_kdd", "How little the searches lose on 99,762 rows", write)


def write(section: Section, quick: bool) -> None:
    """Fill the section."""
    write_large(section, ("kdd",) if quick else ("kdd", "kdd-20"), quick, whole=("kdd",))


if __name__ == "__main__":
    main()
