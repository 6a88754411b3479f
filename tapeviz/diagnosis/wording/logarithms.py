"""A logarithm of a probability -> what to write instead: a function of the logits, which has no edge."""

from __future__ import annotations

from typing import cast

import numpy as np

from tapeviz.diagnosis.edits.formulas import instead_of, instead_of_sum
from tapeviz.diagnosis.op_kinds import CLIPS, PARTS, VIEWS
from tapeviz.diagnosis.paths.views import behind_views
from tapeviz.diagnosis.question import Question
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.places import words
from tapeviz.diagnosis.wording.spelling import spelled, written
from tapeviz.events.summary import elements_of
from tapeviz.graph import Op
from tapeviz.source.lines import LONGEST

_OF = {"softmax": "tf.nn.log_softmax({x}{along})", "sigmoid": "tf.math.log_sigmoid({x})", "exp": "{x}"}
"""The logarithms of these that have no edge."""

_OF_REST = "tf.math.log_sigmoid(-{x})"
"""That of 1 less a sigmoid."""

_CROSS_ENTROPY = "tf.nn.sigmoid_cross_entropy_with_logits({labels}, {logits})"
_WHOLE = "the whole -(t log p + (1 - t) log(1 - p))"


def of_logits(question: Question, op: Op) -> Fix | None:
    """In place of the logarithm of a softmax, of a sigmoid, or of 1 less a sigmoid; None for any other."""
    maker, is_rest = _read_by(question, op)
    if maker is None:
        return None
    kind, logits = _kind(question, maker), _logits(question, maker)
    whole = _cross_entropy(question, maker, logits) if kind == "sigmoid" else None
    if whole is not None or logits is None:
        return whole
    atom = logits if logits.isidentifier() else f"({logits})"
    along = along_axis(question, _summed(question, maker) or maker)
    if along is None:
        return None
    stable = _OF_REST.format(x=atom) if is_rest else _OF[kind].format(x=logits, along=along)
    if _is_one_function(question, op, maker) and not _is_choice(question.graph.op_of(op.inputs[0])):
        edit = instead_of(question, op, stable)
        return Fix(f"{'Use' if edit is None else 'Write'} `{stable}` instead.", edit)
    rest = "1 less " * is_rest
    place = words(question.site_of(maker))
    return Fix(
        f"Compute `{stable}` at {place}, and use that here: it is the {question.op_name(op)} of {rest}that `{kind}`."
    )


def probability_read(question: Question, op: Op) -> Op | None:
    """The softmax or sigmoid that an op takes the logarithm of, or of 1 less it; None where it is of something else."""
    return _read_by(question, op)[0]


def _read_by(question: Question, op: Op) -> tuple[Op | None, bool]:
    """What made the probability that a logarithm reads, or those it is chosen from; whether it reads 1 less that."""
    maker = question.graph.op_of(op.inputs[0])
    if maker is None:
        return None, False
    rest = _left(question, op, maker)
    kinds = ("sigmoid",) if rest is not None else tuple(_OF) if op.op == "log" else ()
    found = _chosen_from(question, maker if rest is None else question.graph.op_of(rest))
    return (found if found is not None and _kind(question, found) in kinds else None), rest is not None


def _chosen_from(question: Question, maker: Op | None) -> Op | None:
    """What made the numbers that an op chooses from, or other ops before it; the op itself if it does not choose."""
    while maker is not None and _is_choice(maker):
        maker = question.graph.op_of(maker.inputs[0])
    return maker


def _is_choice(op: Op | None) -> bool:
    """Whether an op picks some of the numbers that it reads, gives them another shape, or keeps them within bounds."""
    return op is not None and op.op in PARTS | VIEWS | CLIPS


def _left(question: Question, op: Op, maker: Op) -> int | None:
    """The p of a `log(1 - p)` or a `log1p(-p)`."""
    if op.op == "log1p":
        return maker.inputs[0] if maker.op == "neg" else None
    order = {"sub": (0, 1), "rsub": (1, 0)}.get(maker.op)
    one = None if order is None else elements_of(question.log.value(maker.inputs[order[0]]))
    return None if order is None or one is None or (one != 1).any() else maker.inputs[order[1]]


def _kind(question: Question, maker: Op) -> str:
    """What an op is: its name, but that the shares of exponentials are a softmax, however it is written."""
    return maker.op if _exponential(question, maker) is None else "softmax"


def _exponential(question: Question, quotient: Op) -> Op | None:
    """The `exp` whose entries a quotient divides by their sum."""
    above = None if _summed(question, quotient) is None else question.graph.op_of(quotient.inputs[0])
    return above if above is not None and above.op == "exp" else None


def _summed(question: Question, quotient: Op) -> Op | None:
    """The sum that a quotient divides by, if it is that of what it divides."""
    if quotient.op != "div":
        return None
    below = question.graph.op_of(behind_views(question.graph, quotient.inputs[1]))
    return below if below is not None and below.op == "reduce_sum" and below.inputs[0] == quotient.inputs[0] else None


def axes_of(question: Question, op: Op) -> tuple[tuple[int, ...], int]:
    """The axes that an op goes along, all of them unless it says so, and how many there are."""
    rank = len(question.log.tensors[op.inputs[0]].shape)
    axis = dict(op.attrs).get("axis", -1 if op.op == "softmax" else None)
    turned = question.graph.op_of(op.inputs[0])
    if op.op == "softmax" and turned is not None and turned.op == "transpose" and turned.site == op.site:
        axis = cast("tuple[int, ...]", dict(turned.attrs)["perm"])[-1]  # TensorFlow brings it to the end first
    axes = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return tuple([each % rank for each in axes if isinstance(each, int)]) if rank else (), rank


def along_axis(question: Question, op: Op) -> str | None:
    """The option of a softmax along the axis of an op, none along the last; None where it goes along several."""
    if op.op not in ("softmax", "reduce_sum"):
        return ""
    axes, rank = axes_of(question, op)
    long = [each for each in axes if question.log.tensors[op.inputs[0]].shape[each] > 1]
    if long in ([], [rank - 1]):
        return ""
    return f", axis={long[0]}" if len(long) == 1 else None


def _logits(question: Question, maker: Op) -> str | None:
    """How the user writes what a softmax or a sigmoid is taken of, by whatever ops it is computed."""
    site, kind = question.site_of(maker), _kind(question, maker)
    first = written(question, maker.inputs[0])
    text = None if site is None else question.call.texts.of(site).operand_text(site, 0, (kind,), first)
    if text is not None:
        return text if len(text) <= LONGEST else None
    return spelled(question, _exponential(question, maker) or maker, 0)


def _is_one_function(question: Question, *ops: Op) -> bool:
    """Whether ops are in one function of the program, as far as is known."""
    sites = [question.site_of(each) for each in ops]
    return len({each.function for each in sites if each is not None}) <= 1


# ----- the cross-entropy of two classes -----


def _cross_entropy(question: Question, sigmoid: Op, logits: str | None) -> Fix | None:
    """In place of both logarithms of a binary cross-entropy that is written by hand; None where there is but one."""
    alike = [each.outputs[0] for each in question.readers(sigmoid.inputs[0]) if each.op == "sigmoid"]
    for each in alike:  # grows meanwhile
        alike += [reader.outputs[0] for reader in question.readers(each) if reader.op in CLIPS]
    read = {each: list(question.readers(each)) for each in alike}
    logs = [each for found in read.values() for each in found if each.op == "log"]
    further = (each for found in read.values() for maker in found for each in question.readers(maker.outputs[0]))
    rests = [each for each in further if each.op in ("log", "log1p") and _read_by(question, each)[1]]
    if not logs or not rests:
        return None
    log = logs[0]
    weighed, rest = _weighed(question, log), _weighed(question, rests[0])
    if weighed is None or rest is None or not _is_one_less(question, *rest, *weighed):
        return None
    labels = spelled(question, *weighed)
    if labels is None:
        return None
    if logits is not None and _is_one_function(question, log, sigmoid):
        code = _CROSS_ENTROPY.format(labels=labels, logits=logits)
        edit = instead_of_sum(question, log, code)
        return Fix(f"{'Use' if edit is None else 'Write'} `{code}` for {_WHOLE}.", edit)
    name = spelled(question, log, 0)
    if name is None or not name.isidentifier():
        return None
    whole = _CROSS_ENTROPY.format(labels=labels, logits=name)
    place = words(question.site_of(sigmoid))
    return Fix(f"Leave out the `sigmoid` at {place}, so that `{name}` holds logits, and use `{whole}` for {_WHOLE}.")


def _weighed(question: Question, log: Op) -> tuple[Op, int] | None:
    """The product of a logarithm with something, and the slot of that."""
    product = next((each for each in question.readers(log.outputs[0]) if each.op == "mul"), None)
    return None if product is None else (product, int(product.inputs[0] == log.outputs[0]))


def _is_one_less(question: Question, op: Op, slot: int, other: Op, of_other: int) -> bool:
    """Whether what an op reads is 1 less what another one does, as far as the numbers show."""
    rest, whole = (elements_of(question.log.value(each.inputs[at])) for each, at in ((op, slot), (other, of_other)))
    return rest is not None and whole is not None and rest.shape == whole.shape and np.allclose(rest, 1 - whole)
