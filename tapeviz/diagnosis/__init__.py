"""EventLog -> Findings: why gradients are None, zero, NaN or wrong, in the user's names and lines.

What is asked, and what is answered:

- by users     `whole` (`diagnose`), `pair` (`why`), `table` and its `columns`; `comparing/`, two recordings; `explain`,
               under a traceback
- by rules     `asked`, the gradient calls of a log; `call`, one of them; `question`, one target and one source of it
- answers      `finding`; the title, the meaning and the general cure of its label: `causes`

Rules, by what the user sees:

- None         `none/`
- zero         `zero/`
- NaN          `nan/`
- small, huge  `depth`
- wrong        `wrong/`
- exceptions   `error/`
- a recording  as a whole: `recording/`
- own rules    `custom`: the user's gradient functions that gave none, wrong ones, or an error

What rules look at:

- the graph    `paths/`: those of a gradient, the one with the fewest cuts, and those that go through plain numbers
- the numbers  `numbers/`: those of one run, where a bad one is born; of one entry, one op, one layer
- the ops      `op_kinds`, which of them do the like
- the source   `source/`: a line of it, an expression, the way of a value from name to name
- words        `wording/`: of lines, of tensors, and what to write instead; `dialects/`: those of each framework
"""

from __future__ import annotations

from tapeviz.diagnosis.causes import CAUSES, Cause
from tapeviz.diagnosis.columns import Cell
from tapeviz.diagnosis.comparing.compare import Comparison
from tapeviz.diagnosis.finding import Answer, Finding, Findings
from tapeviz.diagnosis.pair import why
from tapeviz.diagnosis.table import Table, table
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
    "diagnose",
    "table",
    "why",
]
