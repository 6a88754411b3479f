"""What can be said of an op that makes a gradient zero."""

from __future__ import annotations

from typing import NamedTuple

from tapeviz.diagnosis.finding import Severity
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.opened import OPEN_IT
from tapeviz.events import Site

OFF = "is off for every element of its input"
"""What a rectifier does that gives zeros alone, and passes no gradient."""

OFF_THERE = "is off for every element that the target changes with"
"""What it does where it gives other numbers, too, which a mask discards."""

ONE_SHARE = "is over a single unit, whose share is always 1"
"""What a softmax, or a loss with one, does that has no slope."""

ANOTHER_AXIS = (
    "What it reads has shape {shape}, and it runs over axis {axis}: let it run over one with several entries. If a "
    "single unit is meant, `tf.sigmoid` gives what varies."
)
"""What to do about a softmax over an axis of one entry, where the units seem to be on another one."""

ONE_LOGIT = (
    "One unit wants the cross-entropy of a sigmoid, `tf.nn.sigmoid_cross_entropy_with_logits`; that of a softmax wants "
    "one unit per class."
)
"""What to write in place of a cross-entropy over a single unit."""


class Verdict(NamedTuple):
    """What makes a gradient zero: what the op does, how sure that is, and a cure, if not the cause's general one.

    `at` is the op, if not the one of the onset; `line` the line to name, if not that of the op.
    """

    cause: str
    does: str
    severity: Severity
    fix: str | Fix | None = None
    at: int | None = None
    line: Site | None = None


UNEXPLAINED = Verdict("zero_derivative", "passes nothing on, for the numbers that it meets", "hint")
"""What is left to say of a zero that none of the rules explains."""

OF_UNKNOWN = Verdict(
    "zero_derivative",
    "passes zeros on, by a rule that is not known here",
    "hint",
    "If what it gives is not to depend on that, as the result of a search does not on its first guess, all is well. "
    "Otherwise start from other values, or look at what the op chooses.",
)
"""The same of an op of which nothing is known, so that other numbers may change nothing."""

OF_A_GRAPH = Verdict("zero_derivative", "passes nothing on", "hint", OPEN_IT)
"""A compiled graph, of which the op that makes the zeros is not known."""

OF_USERS_OP = Verdict(
    "zero_derivative",
    "passes nothing on, because the gradient function that the program gives it{ends} returns zeros",
    "hint",
    "If it is to hold the gradient back, all is well. Otherwise let its gradient function return `upstream * "
    "derivative` for each input.",
)
"""The same, of an op that has a gradient function of the user's own."""

OF_USERS_RULE = Verdict(
    "custom_gradient_bug",
    f"{OF_USERS_OP.does}, though what it computes has a derivative that is not zero",
    "warning",
    OF_USERS_OP.fix,
)
"""The same, where the derivative of what the op computed was seen."""

OF_NONE_WITHIN = Verdict(
    "zero_derivative",
    "passes zeros on, because the gradient that it takes of the function it calls is None",
    "hint",
    "Compute what the function gives from its arguments, by ops that have a derivative.",
)
"""The same, of one that takes the gradient of a Python function, as `py_function` does."""


OF_A_POWER = Verdict(
    "precision_underflow",
    "passes nothing on: what comes of its derivative is not zero, but too small for float16",
    "warning",
    "Compute it in float32; to scale the loss up helps only where the derivative itself is not too small.",
)
"""What a power does in few bits."""


OF_SQUARES = Verdict(
    "precision_underflow",
    "passes nothing on, as the squares of the numbers that it meets are too small for float16",
    "hint",
    "Compute it in float32.",
)
"""What an op does in few bits that has squares in its derivative."""


OF_A_CORNER = Verdict(
    "domain_edge",
    "has no derivative where all that it reads is zero, and zero is given for it",
    "hint",
    "If that is a place to rest at, all is well. Otherwise start from numbers that are not all zero.",
)
"""What an op does at the one point where it has a pole, of which a framework makes zero."""


VANISHED_UPSTREAM = Verdict(
    "vanishing_depth",
    "is given a gradient that has shrunk to the least numbers that its type has, and what is smaller is zero",
    "hint",
)
"""What ends a gradient that each of many steps has made smaller, whatever the last of them is."""


OF_NO_ROWS = (
    "If no row was to be picked, as for an expert that none chose, all is well. Otherwise look at what picks the rows."
)
"""What to do about an op that met no rows."""


OF_OTHER_ENTRIES = "If others were to be picked this time, all is well. Otherwise look at what picks them."
OF_THE_LAST = "Read each sequence at its own last step: behind it a shorter one is filled up with zeros."
"""What to do about an op that picks entries, and none that the source has a part in."""

OF_A_BRANCH = (
    "If it is constant there by intent, all is well: for other numbers another branch gives a gradient. Otherwise let "
    "each branch compute with what it is to pass a gradient to."
)
"""What to do about a conditional whose branch does without an operand."""

OF_ONE_SIDE = "Shift or scale what it reads: far below zero it gives the same for all numbers."
"""What to do about an op that is flat on one side."""

OF_A_MASK = "If nothing was to be kept, all is well. Otherwise look at what makes the mask."
"""What to do about a mask that hides everything."""

OF_NEW_NUMBERS = "If they are to take its place, all is well. Otherwise write into a tensor of zeros, and add that."
"""What to do about a write that leaves nothing of what was there."""

OF_A_CHOICE = "If the other was to be taken everywhere, all is well. Otherwise look at what makes the condition."
"""What to do about a choice that an operand has no part in."""

OF_A_DROPOUT = "Train with a rate below 1: what is kept is what learns."
"""What to do about one that keeps nothing."""

OF_A_NORM = "Normalize over an axis with several entries."
"""What to do about a normalization of single numbers."""

OF_A_PADDING = "If there was nothing but padding, all is well. Otherwise give other indices, or another `padding_idx`."
"""What to do about the row that stands for nothing."""


OF_A_HINGE = (
    "If it is a margin that all of them keep, all is well. Otherwise use a smooth version (`tf.math.softplus`), or "
    "start with weights that leave part of it on."
)
"""What to do about a maximum of zero and other numbers, none of which is larger."""

OF_A_WRITE = "Change it after the backward pass that needs it, or compute the target anew from what it is now."
"""What to do about numbers that were overwritten before a gradient was computed from them."""
OF_SHARED_MEMORY = (
    "Let it have memory of its own, as by `.clone()` or `torch.tensor`, or write into it after the backward pass that "
    "needs it."
)
"""The same where another library wrote."""

OF_A_HOOK = (
    "If the hook is to hold the gradient back, all is well. Otherwise let it return what it is given, or nothing."
)
"""What to do about a hook that makes zeros."""
