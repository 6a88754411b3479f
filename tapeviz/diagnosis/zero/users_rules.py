"""A gradient function of the user's that gave zeros -> what it does, and whether that is wrong."""

from __future__ import annotations

from tapeviz.diagnosis.own_rules import gradient_function
from tapeviz.diagnosis.wording.places import words
from tapeviz.diagnosis.wrong.witnessed import gives_nothing
from tapeviz.diagnosis.zero.context import ZeroContext
from tapeviz.diagnosis.zero.verdicts import OF_USERS_OP, OF_USERS_RULE, Verdict
from tapeviz.source.places import site_at


def of_users_op(context: ZeroContext) -> Verdict:
    """It holds the gradient back; where what it computes has another derivative, that may be a mistake."""
    position = context.onset.step.op
    line = gradient_function(context.call.graph, context.call.texts, position)
    is_known = line != site_at(context.call.log, position)
    ends = f", which ends at {words(line)}," if is_known else ""
    verdict = OF_USERS_RULE if gives_nothing(context.call.graph, position, context.slot) else OF_USERS_OP
    return verdict._replace(does=verdict.does.format(ends=ends), line=line)
