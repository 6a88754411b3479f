"""EventLog -> Findings: why gradients are None, zero, NaN or wrong, in the user's names and lines.

Questions and answers:

- users ask    `diagnose`, `why`, `table` and its `columns`; `comparing/`, two recordings;
               `ranks/`, those of several processes; `explain`, the note under a traceback
- rules get    `recorded_calls`, the gradient calls of a log; `gradient_call`, one of them: what was asked, the run that
               replay makes of it, and its numbers; `question`, one source of it, in the words of the program;
               `origins`, where the text makes a leaf that no recorder saw being made
- answers      `finding`; `causes`, the title, meaning and general cure for each label; `coverage`, what was looked at

Rules, by what the user sees:

- None         `none/`
- zero         `zero/`
- NaN          `nan/`
- small, huge  `depth`
- wrong        `wrong/`
- exceptions   `error/`
- a recording  `recording/`: as a whole
- a step       `updates/`: what optimizers make of gradients
- own rules    `custom`: gradient functions of the user's that gave nothing, a wrong gradient, or an error; `own_rules`,
               where they stand

What rules work with:

- the graph    `paths/`: the paths of a gradient, and the path with the fewest cuts
- the numbers  `numbers/`: of a run, and where a bad one begins in it; of an element, an op, a layer
- the ops      `op_kinds`
- edits        `edits/`: changes of the program's text
- words        `wording/`: for lines, tensors and fixes; `dialects/`: those of each framework
"""

from __future__ import annotations

from tapeviz.diagnosis.causes import CAUSES, Cause
from tapeviz.diagnosis.columns import Cell
from tapeviz.diagnosis.comparing.compare import Comparison
from tapeviz.diagnosis.finding import Answer, Finding, Findings
from tapeviz.diagnosis.table import Table

__all__ = [
    "CAUSES",
    "Answer",
    "Cause",
    "Cell",
    "Comparison",
    "Finding",
    "Findings",
    "Table",
]
