"""Columns of a history -> a Parquet file, and back: one row per variable and step."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tapeviz.events.store import atomic
from tapeviz.live.column import Column
from tapeviz.live.measure import NAN, STATES
from tapeviz.phrases import not_installed
from tapeviz.validation import existing_file, output_file

SCHEMA = 1
KEY = b"tapeviz.history"
FIELDS = ("variable", "step", "gradient_norm", "value_norm", "state")


def write(columns: Sequence[Column], count: int, limit: int, path: str | Path) -> Path:
    """Write the columns as a long table; what no row holds, such as the `count` of steps, goes into its metadata."""
    arrow, parquet = _pyarrow()
    path = output_file(path, "history.to_parquet('run.parquet')")
    rows = {
        "variable": [column.name for column in columns for _ in column.steps],
        "step": [step for column in columns for step in column.steps],
        "gradient_norm": [norm for column in columns for norm in column.gradients],
        "value_norm": [norm for column in columns for norm in column.values],
        "state": [STATES[state] for column in columns for state in column.states],
    }
    about = {
        "schema": SCHEMA,
        "count": count,
        "limit": limit,
        "began": {column.name: column.began for column in columns},
        "values": {column.name: STATES[column.value_state] for column in columns},
    }
    table = arrow.table(rows).replace_schema_metadata({KEY: json.dumps(about)})
    written = arrow.BufferOutputStream()
    parquet.write_table(table, written)
    atomic.write(path, written.getvalue())
    return path


def read(path: str | Path) -> tuple[list[Column], int, int]:
    """What `write` was given."""
    _, parquet = _pyarrow()
    path = existing_file(path, "History.from_parquet('run.parquet')")
    table = parquet.read_table(path)
    about = _about(table.schema.metadata or {}, path)
    columns = {name: Column(name, began=began) for name, began in about["began"].items()}
    for name, column in columns.items():
        column.value_state = STATES.index(about.get("values", {}).get(name, STATES[NAN]))  # an older file does not say
    rows = zip(*(table.column(each).to_pylist() for each in FIELDS), strict=True)
    for name, step, gradient, value, state in rows:
        columns[name].append(step, gradient, value, STATES.index(state))
    return list(columns.values()), about["count"], about["limit"]


def _about(metadata: dict[bytes, bytes], path: Path) -> dict[str, Any]:
    if KEY not in metadata:
        raise ValueError(f"{path.name} is not a tapeviz history: History.to_parquet did not write it.")
    about: dict[str, Any] = json.loads(metadata[KEY])
    if about["schema"] > SCHEMA:
        raise ValueError(f"{path.name} was written by a newer tapeviz (schema {about['schema']}): update this one.")
    return about


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError:
        raise ModuleNotFoundError(not_installed("A history goes into a Parquet file through", "pyarrow")) from None
    return pyarrow, pyarrow.parquet
