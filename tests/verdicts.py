"""The document of a verdict, checked against its schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema

from covey.verifier import Verdict

SCHEMA = Path(__file__).parents[1] / "docs" / "verdict.schema.json"


def check_document(verdict: Verdict) -> Any:
    """Return the JSON document of a verdict; it must follow its schema."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    document = json.loads(json.dumps(verdict.to_json(show=True)))
    jsonschema.Draft202012Validator(schema).validate(document)
    return document
