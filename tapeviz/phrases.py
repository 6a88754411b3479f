"""Names and counts -> parts of a sentence; cells -> the lines of a table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

NO_GRADIENT = (
    "No gradient was taken yet. Take one first, by `tape.gradient(target, sources)`, PyTorch's `loss.backward()` or "
    "JAX's `jax.grad(f)(*arguments)`"
)
"""What is said of a log that has none where one is needed; what to do with it then may follow."""

_QUOTED = re.compile(r"(?<!`)(`+)(?!`) ?(.+?) ?(?<!`)\1(?!`)", re.DOTALL)

UNSEEN = "made unseen, earlier or in another thread"
"""The name of a scope whose ops a recorder knows only by what the framework kept of them."""

OUT_OF_SIGHT = "made unseen, since the recording began"
"""That of ops which ran while it was open, in what makes no calls that a recorder sees, such as a callback."""

RUN_EAGERLY = " (compiled, run eagerly)"
"""The end of the name of a scope: that of a call of a compiled function, which ran op by op for the recording."""

BY_XLA = " (compiled by XLA, run eagerly)"
"""How the name of a scope ends whose function runs op by op in a recording, and would be compiled by XLA otherwise."""

COMPILED = " (compiled, one node)"
"""The end of the name of an op: that of a call of a compiled function, or of a graph of one, which ran compiled."""

COMPUTED_AGAIN = " (compiled, computed again op by op)"
"""The end of the name of a scope: that of a graph which ran compiled. Its ops are computed again on what it was given,
so that the last bits may differ; what goes in and comes out is the program's own."""

TRACED = " (compiled, as it was traced)"
"""The same where the ops could not be computed again, or gave other numbers: they are known without these."""

AGAIN_BY_XLA = " (compiled by XLA, computed again op by op)"
"""The same where XLA has compiled it, which computes some gradients otherwise: the numbers inside may be others."""

RESUMED = ", from line "
"""What stands in the name of a compiled graph between its function and the line after which it begins."""

BETWEEN_GRAPHS = " (compiled; this part ran between its graphs)"
"""How the name of a scope ends whose ops ran in a compiled function, in none of its graphs: known by their nodes."""

BY_TORCHSCRIPT = " (compiled by TorchScript)"
"""How that of a call ends which runs past the recorder, and of which only its nodes are known."""

ANOTHER_THREAD = "in another thread"
"""That of ops which ran beside the recorded thread, where no tape of it follows them."""


def listed(names: Sequence[str], most: int = 6) -> str:
    """Names as a list in a sentence.

    >>> listed(["`a`", "`b`", "`c`"]), listed(["`a`", "`b`", "`c`"], most=1)
    ('`a`, `b` and `c`', '`a` and 2 more')
    """
    shown = list(names[:most])
    if len(names) > most:
        shown.append(f"{len(names) - most} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def not_installed(purpose: str, package: str) -> str:
    """What to say where a package is missing.

    >>> not_installed("Plots are drawn by", "matplotlib")
    'Plots are drawn by matplotlib, which is not installed: pip install matplotlib'
    """
    return f"{purpose} {package}, which is not installed: pip install {package}"


def quoted(code: str) -> str:
    """Code in a sentence, as Markdown has it: between more backticks than stand side by side in it.

    >>> quoted("w"), quoted("`w` x")
    ('`w`', '`` `w` x ``')
    """
    if "`" not in code:
        return f"`{code}`"
    fence = "`" * (1 + max(map(len, re.findall("`+", code))))
    return f"{fence} {code} {fence}"


def unquoted(name: str) -> str:
    """What a sentence calls a thing, for a place that is code or a cell: without what quotes the code in it.

    >>> unquoted("`w`"), unquoted("`` `w` x ``"), unquoted("the result of `exp`")
    ('w', '`w` x', 'the result of exp')
    """
    return with_quoted(name, lambda code: code)


def with_quoted(text: str, change: Callable[[str], str]) -> str:
    """A text, and in the place of each quoted piece of code what is made of that.

    >>> with_quoted("Call `f` with `` ` ``.", str.upper)
    'Call F with `.'
    """
    return _QUOTED.sub(lambda found: change(found[2]), text)


def holds_for(names: Sequence[str]) -> str:
    """What is said of others once it was said of one.

    >>> holds_for(["`b`", "`c`"])
    'The same holds for `b` and `c`.'
    """
    return f"The same holds for {listed(names)}."


def holds_of(others: int) -> str:
    """The same of so many others, after a sentence; nothing where there are none.

    >>> holds_of(2), holds_of(0)
    (' The same holds of 2 others.', '')
    """
    return f" The same holds of {counted(others, 'other')}." if others else ""


def counted(count: int, noun: str) -> str:
    """How many of what there are.

    >>> counted(1, "step"), counted(1000, "pass"), counted(2, "entry")
    ('1 step', '1,000 passes', '2 entries')
    """
    if count != 1:
        noun = f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{count:,} {noun}"


def encodable(text: str) -> str:
    r"""A text that can be written and sent: what stands in it for bytes that are no UTF-8 is replaced.

    >>> ascii(encodable("a\xe9\udce9.py"))
    "'a\\xe9\\ufffd.py'"
    """
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def few(lines: list[str], most: int) -> list[str]:
    """At most so many lines, and how many more there are.

    >>> few(["a", "b", "c"], 1)
    ['a', '… and 2 more']
    """
    return lines if len(lines) <= most else [*lines[:most], f"… and {len(lines) - most} more"]


def kind_of(thing: Any) -> str:
    """What a thing is, in a sentence.

    >>> import numpy as np
    >>> kind_of(3), kind_of("a"), kind_of(None), kind_of(np.uint8(3))
    ('an int', 'a str', 'None', 'a uint8')
    """
    return "None" if thing is None else with_article(type(thing).__name__)


def with_article(name: str) -> str:
    """A noun in a sentence.

    >>> with_article("IndexError"), with_article("uint8")
    ('an IndexError', 'a uint8')
    """
    return f"{'an' if name.startswith(tuple('aeioAEIO')) else 'a'} {name}"


def side_by_side(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows of cells as lines, each column as wide as its widest cell.

    >>> list(side_by_side([["w", "0.5"], ["bias", "2"]]))
    ['w     0.5', 'bias  2']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
