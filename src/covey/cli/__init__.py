"""The command line: one file per command, each importing what it needs only when it runs."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line and exit with its code."""
    try:
        from covey.cli.app import main as run
    except KeyboardInterrupt:  # before anything was read
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    run()
