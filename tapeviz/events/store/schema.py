"""The names of the parts of a log file, and the version of their form."""

from __future__ import annotations

SCHEMA = 13
"""Raised when a reader of the schema before could not read what is written now. Older files stay readable: a field that
is added has a default. 2: `BackwardStarted.rows`. 3: `Row.pole`. 4: `Row.broadcasts`.
5: `BackwardStarted.create_graph`. 6: `VjpWitnessed`. 7: its
`redrew`. 8: `ParameterUpdated`. 9: `Scope.kind`. 10: `VjpWitnessed.bends`.
11: lines of many rows. 12: `TensorInfo.placement`. 13: `BuffersMeasured`."""
HEAD, ROWS, BLOCK = "log.json", "rows/{:05}.jsonl", "values/{:05}.bin"
"""The members of the archive: what the log is, its events and tables, its values."""
