"""Columns that look like keys: whose values tell persons, or records, apart however often they repeat."""

from covey.keys.names import is_key_name, may_name_persons
from covey.keys.reasons import is_person_key, key_reason, named_key_reason

__all__ = ["is_key_name", "is_person_key", "key_reason", "may_name_persons", "named_key_reason"]
