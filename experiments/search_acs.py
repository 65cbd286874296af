"""How little covey's searches lose on 295,243 and 665,800 rows of a survey.

COVEY_DATA=... python experiments/search_acs.py
"""

from __future__ import annotations

from results import Section, run_script
from search import write_large


def main() -> None:
    run_script("search_acs", "How little the searches lose on 295,243 and 665,800 rows", write)


def write(section: Section, quick: bool) -> None:
    """Fill the section."""
    write_large(section, ("acs-295k",) if quick else ("acs-295k", "acs-665k"), quick)


if __name__ == "__main__":
    main()
