"""A program's source -> what is not as it should be where it is recorded: bits, state, lines, what is said of it."""

from __future__ import annotations

import linecache
import math
import re
import warnings
from itertools import count
from pathlib import Path
from threading import get_ident
from typing import Any

import numpy as np

import tapeviz as tv
from tapeviz.diagnosis.finding import Findings
from tapeviz.events import EventLog
from tapeviz.graph import build
from tapeviz.phrases import ANOTHER_THREAD, OUT_OF_SIGHT, UNSEEN
from tapeviz.recorders.torch.backward.nodes import ELSEWHERE, IN_A_PASS
from tests.recorders.random_programs import bridges
from tests.recorders.random_programs.composing import Framework
from tests.recorders.test_unchanged import bits

UNTRUE = ("before the recording", UNSEEN, OUT_OF_SIGHT)
"""What may not be said of a program that ran in the block."""
IN_OTHER_THREADS = ("another thread", ELSEWHERE, ANOTHER_THREAD)
"""Nor of one that ran in its thread."""
RAISED = "error"
"""The name that the error of a program goes by among its variables."""
_numbers = count()


def wrong_with(framework: Framework, source: str) -> list[str]:
    """What a recording changes or says of a healthy program that it should not.

    A program may raise, which is no health: then it is to raise the same.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run(framework, source)  # frameworks load and keep some things at the first time
        plain = numbers(run(framework, source))
        before = framework.state(framework.module)
        bridges.threads.clear()
        with tv.record(**framework.options) as log:
            space = run(framework, source)
        left = framework.state(framework.module)
        recorded = numbers(space)
        wrong = [name for name in plain.keys() | recorded.keys() if plain.get(name) != recorded.get(name)]
        told = [f"other bits in {', '.join(sorted(wrong))}"] if wrong else []
        return [*told, *(["other state"] if left != before else []), *_said(log, _is_healthy(space)), *_lineless(log)]


def run(framework: Framework, source: str) -> dict[str, Any]:
    """The variables of a program at its end, by name."""
    filename = f"<random program {next(_numbers)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    space = framework.space() | {"np": np, "__name__": "program"}
    given = set(space)
    framework.seed(framework.module)
    try:
        exec(compile(source, filename, "exec"), space)
    except Exception as error:
        first = f"{type(error).__name__}: {error}".splitlines()[0]  # what follows may be a traceback
        space[RAISED] = re.sub(r"\d+", "", first)  # frameworks count what they make
    return {name: each for name, each in space.items() if name not in given}


def numbers(space: dict[str, Any]) -> dict[str, Any]:
    """The bits of all numbers that variables hold."""
    return {name: bits(each) for name, each in space.items() if _is_number(each)}


def _is_healthy(space: dict[str, Any]) -> bool:
    """Whether a program has come to its end without a number that is not finite."""
    loss = space.get("loss", space.get("value"))
    return RAISED not in space and loss is not None and math.isfinite(float(loss))


def _is_number(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_is_number, value))
    return isinstance(value, (int, float, complex, str)) or hasattr(value, "dtype")


def _said(log: EventLog, is_healthy: bool) -> list[str]:
    """What a diagnosis says above a hint of a healthy program, and what is not true."""
    findings: Findings = tv.diagnose(log)
    loud = [str(each) for each in findings if each.severity != "hint" and is_healthy]
    said = dict.fromkeys((*str(findings).splitlines(), *_scopes(log)))
    untrue = [] if bridges.threads - {get_ident()} else IN_OTHER_THREADS
    return [*loud, *(f"says: {each}" for each in said if any(words in each for words in (*UNTRUE, *untrue)))]


def _scopes(log: EventLog) -> list[str]:
    """The names of all scopes that ops are in, as pictures and tables show them."""
    return list(dict.fromkeys(log.scopes[op.scope].name for op in build(log).ops.values() if op.scope is not None))


def _lineless(log: EventLog) -> list[str]:
    """The ops that are at no line of the program's; those that autograd computes in a backward pass have none."""
    graph = build(log)
    names = []
    for op in graph.ops.values():
        site = None if op.site is None else log.sites[op.site]
        scope = "" if op.scope is None else log.scopes[op.scope].name
        if scope != IN_A_PASS and (site is None or not _is_programs(site.filename)):
            names.append(op.op)
    return [f"no line of {', '.join(sorted(set(names)))}"] if names else []


def _is_programs(filename: str) -> bool:
    return filename.startswith("<random program") or Path(filename).parent.name == "random_programs"
