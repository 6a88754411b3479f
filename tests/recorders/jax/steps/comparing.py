"""A training step -> what a recording changes in it or misses of it; run in a process of its own."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest.mock import patch

import ml_dtypes
import numpy as np

import tapeviz as tv
from tapeviz.events import BackwardFinished, EventLog, GradientUnseen
from tests.diagnosis.planted.healthy import Healthy
from tests.diagnosis.planted.running import executed

FOLDER = Path(__file__).parent / "programs"
IMPORTED = ("flax", "optax", "equinox", "haiku")
"""What many steps import, and what takes its time."""
ENVIRONMENT = {"TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu", "KERAS_BACKEND": "jax"}
"""What is set before JAX and Keras are imported."""
NEAR = 1e-6
"""How far a gradient may be from the program's, relative to its largest number."""
ROUNDED = 2.0**-23
"""How far one may be that is next to zero, relative to the largest number of its call: as far as that is rounded."""


class Step(Healthy):
    """A program of the folder: a healthy one, for which faults are spelled as for JAX."""

    @cached_property
    def framework(self) -> str:
        """Whatever its name begins with."""
        return "jax"


@dataclass(frozen=True)
class Outcome:
    """What came of a step: how many gradient calls were seen, how far off they are, and all that is wrong.

    `error` is None where the program does not have its gradients. Some libraries do not go with this release of JAX:
    nothing `runs`.
    """

    name: str
    calls: int = 0
    error: float | None = None
    wrong: list[str] = field(default_factory=list)
    runs: bool = True

    def __str__(self) -> str:
        within = "" if self.error is None else f", gradients within {self.error:.1e}"
        told = "; ".join(self.wrong) or f"as it was{within}"
        return f"{self.name:24} {self.calls:2} gradient calls: {told}"


def steps() -> list[Step]:
    """All steps, those too whose library is missing."""
    return [Step(path.stem, path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.py"))]


def outcomes(chosen: list[Step], processes: int = 2) -> Iterator[Outcome]:
    """What came of each, in processes of their own, which share what has been imported."""
    context = get_context("forkserver")
    context.set_forkserver_preload([__name__, "jax", *(each for each in IMPORTED if find_spec(each))])
    variables = patch.dict(os.environ, ENVIRONMENT)  # of those processes, and of nothing else that the tests start
    with variables, ProcessPoolExecutor(processes, context, max_tasks_per_child=1) as pool:
        yield from pool.map(outcome, chosen)


def outcome(step: Step) -> Outcome:
    """Run a step without a recording, and within one."""
    warnings.filterwarnings("ignore")
    try:
        plain = executed(step.text, f"<plain {step.name}>")
    except Exception as error:
        return Outcome(step.name, wrong=[f"without a recording it raises {_told(error)}"], runs=False)
    try:
        with tv.record() as log:
            recorded = executed(step.text, f"<recorded {step.name}>")
    except Exception as error:
        return Outcome(step.name, wrong=[f"in a recording it raises {_told(error)}"])
    runs = list(log.of_kind(BackwardFinished).values())
    seen = [[None if each is None else log.value(each) for each in run.gradients] for run in runs]
    wrong = [f"{each} differ" for each in ("results", "gradients") if _bits(plain[each]) != _bits(recorded[each])]
    error = None
    if plain["gradients"] is not None:
        error, missed = _compared([_arrays(each) for each in plain["gradients"]], seen, _near(log))
        wrong += missed
    elif not runs:
        wrong.append("no gradient is seen")
    return Outcome(step.name, len(runs), error, wrong + list(_said(log)))


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".partition("\n")[0]


def _near(log: EventLog) -> float:
    """How far a gradient may be off, where some of what led to it may have been rounded to half precision."""
    dtypes = {each.dtype for each in log.tensors}
    return max([NEAR, *(float(ml_dtypes.finfo(each).eps) for each in ("float16", "bfloat16") if each in dtypes)])


def _said(log: EventLog) -> Iterator[str]:
    """What a recording says of a step in which nothing is wrong."""
    for unseen in log.of_kind(GradientUnseen).values():
        yield f"not seen {unseen.why}"
    for finding in tv.diagnose(log):
        if finding.severity != "hint":
            yield f"{finding.severity} {finding.cause}: {finding.message}"
    for value in log.of_kind(BackwardFinished).values():
        if any(each is not None and not np.isfinite(log.value(each)).all() for each in value.gradients):
            yield "a gradient in the log is not finite"


def _compared(theirs: list[list[Any]], ours: list[list[Any]], near: float) -> tuple[float, list[str]]:
    """How far the gradients in the log are from the program's, in the order of the calls, and what is not alike."""
    if [len(each) for each in theirs] != [len(each) for each in ours]:
        return np.nan, [f"{[len(each) for each in theirs]} gradients, of which {[len(each) for each in ours]} are seen"]
    errors, wrong = [0.0], []
    for call, (wanted, got) in enumerate(zip(theirs, ours, strict=True)):
        largest = max((float(np.abs(each).max(initial=0.0)) for each in wanted), default=0.0)
        near_zero = largest * ROUNDED / NEAR or 1.0
        for slot, (want, have) in enumerate(zip(wanted, got, strict=True)):
            have = np.zeros(want.shape) if have is None else np.asarray(have, np.float64)
            if want.shape != have.shape:
                wrong.append(f"gradient {slot} of call {call} has shape {have.shape}, not {want.shape}")
                continue
            difference = float(np.abs(want - have).max(initial=0.0))
            error = difference / max(float(np.abs(want).max(initial=0.0)), near_zero)
            errors.append(error)
            if not error <= near:
                wrong.append(f"gradient {slot} of call {call} is off by {error:.1e}")
    return max(errors), wrong


def _arrays(tree: Any) -> list[Any]:
    return [np.asarray(each, np.float64) for each in _leaves(tree)]


def _bits(tree: Any) -> list[bytes]:
    return [np.asarray(each).tobytes() for each in _leaves(tree)]


def _leaves(tree: Any) -> list[Any]:
    import jax

    is_key = lambda each: hasattr(each, "dtype") and jax.dtypes.issubdtype(each.dtype, jax.dtypes.prng_key)  # noqa: E731
    return [jax.random.key_data(each) if is_key(each) else each for each in jax.tree.leaves(tree)]
