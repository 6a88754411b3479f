"""An exception about gradients and the log it was written into -> the note for under its traceback."""

from __future__ import annotations

from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.diagnosis.error.messages import MessagePart
from tapeviz.diagnosis.finding import Findings
from tapeviz.events import BackwardStarted, ErrorRaised, EventLog


def explain(log: EventLog, error: BaseException) -> str | None:
    """What to add to an exception, None where the log has nothing to say about it.

    >>> import tapeviz as tv
    >>> w = tv.Variable(1.0)
    >>> with tv.GradientTape() as tape:
    ...     loss = tv.round(w)
    >>> pairs = [(tape.gradient(loss, w), w)]
    >>> try:
    ...     tv.keras.optimizers.SGD(0.1).apply_gradients(pairs)
    ... except ValueError as error:
    ...     print(error.__notes__[-1].splitlines()[0])
    tapeviz: error: An op on the path has no derivative [nondifferentiable_op]
    """
    message = str(error)
    if not any(part in message for part in MessagePart):
        return None
    findings = _about_it(log, diagnose(log))
    return f"tapeviz: {findings}" if findings else None


def _about_it(log: EventLog, findings: Findings) -> Findings:
    """The findings about the last error itself, else those about the gradients of the last call before it."""
    errors, calls = list(log.of_kind(ErrorRaised)), list(log.of_kind(BackwardStarted))
    own = [each for each in findings if errors[-1] in each.evidence]
    unraised = [each for each in findings if each.symptom in ("none", "error") and not {*errors} & {*each.evidence}]
    return findings.only(own or [each for each in unraised if calls and calls[-1] in each.evidence])


def first_finding(log: EventLog, reason: str) -> str:
    """The first finding about a gradient that is None, or else not finite, in words; "" without one that is sure."""
    symptom = "none" if reason == "none" else "nan"
    sure = (each for each in diagnose(log) if each.severity != "hint")
    return next((str(each) for each in sure if each.symptom == symptom), "")
