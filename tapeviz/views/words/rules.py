"""An op and one of its arguments -> the rule as a line in the user's names. The front end's twin: `words/rules.js`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from tapeviz.events import EventLog
from tapeviz.graph import Op
from tapeviz.views.words import numbers
from tapeviz.views.words.attributes import attribute
from tapeviz.views.words.formulas import TIMES, grouped, plain
from tapeviz.views.words.names import Names
from tapeviz.views.words.variants import row_of

SUM = "\N{N-ARY SUMMATION}"
MOST_LISTED = 3
PLACE = re.compile(r"\{(\(?)(\w+)\)?\}")
POWER = re.compile(r"\^\(\{(\w+)\} − 1\)")


def rule_line(names: Names, op: Op, slot: int) -> str | None:
    """The VJP of the argument at `slot`, `g` for the upstream gradient; None where the catalog has none."""
    row = row_of(names.log, op)
    if row is None or (argument := row.argument(slot)) is None:
        return None
    template = row.vjps.get(argument)
    if template is None:
        return None
    words = _words(names, op, row.arguments, slot)

    def named(place: re.Match[str]) -> str:
        name = words.get(place[2], place[2])
        return grouped(name) if place[1] else name

    lowered = _lowered(plain(template), words)
    line = PLACE.sub(named, lowered).replace(TIMES, _times(lowered, words))
    return _summed(line) if is_summed(names.log, op, slot) else line


def _times(line: str, words: Mapping[str, str]) -> str:
    """Between names of several letters the times sign shows: side by side they would read as one name."""
    places = (place[2] for place in PLACE.finditer(line))
    return " · " if any(_is_wordy(words.get(place, place)) for place in places if place != "out") else " "


def _is_wordy(name: str) -> bool:
    """Whether a name has several letters, not counting a subscript."""
    return any((one.isalpha() or one == "_") and (two.isalpha() or two in "_.") for one, two in pairwise(name))


def _lowered(line: str, words: dict[str, str]) -> str:
    """A rule in which a power of a number is one less, and not the number minus one; the first is not written."""

    def less(power: re.Match[str]) -> str:
        try:
            lower = float(words.get(power[1], "")) - 1.0
        except ValueError:
            return power[0]
        return "" if lower == 1.0 else f"^{lower:.6g}" if lower >= 0 else f"^({numbers.written(f'{lower:.6g}')})"

    return POWER.sub(less, line)


def is_summed(log: EventLog, op: Op, slot: int) -> bool:
    """Whether the argument at `slot` gets the sum of what its rule says over the axes along which it was stretched."""
    row = log.row_of(op)
    if row is None or not row.broadcasts or not op.outputs:
        return False
    read, made = log.tensors[op.inputs[slot]], log.tensors[op.outputs[0]]
    return read.shape != made.shape and "unknown" not in (read.dtype, made.dtype)


def _summed(rule: str) -> str:
    """A rule on one line, and that it is summed; the front end's twin: `overAxes` in `words/rules.js`."""
    return f"{SUM} ({rule})" if rule.startswith(("-", "\N{MINUS SIGN}")) else f"{SUM} {rule}"


def _words(names: Names, op: Op, arguments: Sequence[str], slot: int) -> dict[str, str]:
    """What stands for the places of an op's formulas; a list of arguments is its element at `slot`, or all of them."""
    words = {"g": "g", "out": names.tensor(op.outputs[0]) if op.outputs else "out"}
    words |= {name: attribute(name, value) for name, value in op.attrs}
    last = len(arguments) - 1
    for index, argument in enumerate(arguments):
        chosen = slice(slot, slot + 1) if index == last <= slot else slice(index, None if index == last else index + 1)
        words[argument] = _listed([names.tensor(each) for each in op.inputs[chosen]]) or argument
    return words


def _listed(names: Sequence[str]) -> str:
    """Names side by side; of many, their ends."""
    return ", ".join(names if len(names) <= MOST_LISTED else [*names[:2], "…", names[-1]])
