"""EventLog -> Findings: why gradients are None, zero, NaN or wrong, in the user's names and lines."""

from __future__ import annotations

from tapeviz.diagnosis.causes import CAUSES, Cause
from tapeviz.diagnosis.compare import Comparison, compare
from tapeviz.diagnosis.finding import Answer, Finding, Findings
from tapeviz.diagnosis.pair import why
from tapeviz.diagnosis.table import Cell, Table, table
from tapeviz.diagnosis.whole import diagnose

__all__ = [
    "CAUSES",
    "Answer",
    "Cause",
    "Cell",
    "Comparison",
    "Finding",
    "Findings",
    "Table",
    "compare",
    "diagnose",
    "table",
    "why",
]
