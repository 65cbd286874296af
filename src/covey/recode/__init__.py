"""From classes to released columns."""

from covey.recode.recoding import Recoding, recode, recode_windows

__all__ = ["Recoding", "recode", "recode_windows"]
