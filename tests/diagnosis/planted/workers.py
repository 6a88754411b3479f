"""Programs, and the pairs they are in -> what came of each, in processes of their own.

For each framework a process imports it once, and forks for each program: one that dies or hangs costs one pair.
"""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import groupby
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, TypeAlias, TypeVar

from tests.diagnosis.planted.healthy import Healthy
from tests.diagnosis.planted.planting import Pair
from tests.diagnosis.planted.scoring import Result, healthy, scored

IMPORTED = {"torch": "torch", "tensorflow": "tensorflow", "jax": "jax", "engine": "tapeviz"}
SECONDS = 120
"""How long one pair may take."""
DIED = "the process died, or took too long"

R = TypeVar("R")
Work: TypeAlias = Callable[..., Iterator[R]]
"""What gives the results of a job, whose parts are its arguments."""
Job: TypeAlias = tuple[Any, ...]


def results(programs: Iterable[Healthy], chosen: Iterable[Pair]) -> Iterator[Result]:
    """What comes of each healthy program, whose fault is "", and then of the pairs that it is in."""
    yield from served(came_of, programs, chosen)


def served(work: Work[R], programs: Iterable[Healthy], chosen: Iterable[Pair]) -> Iterator[R]:
    """What `work` gives for each program whose packages are here, and its pairs, in the process of its framework."""
    pairs_of: dict[str, list[Pair]] = {}
    for each in chosen:
        pairs_of.setdefault(each.program.name, []).append(each)
    here = [each for each in programs if not each.missing]
    for framework, some in groupby(here, key=lambda each: each.framework):
        yield from worked(framework, work, [(each, pairs_of.get(each.name, [])) for each in some])


def worked(framework: str, work: Work[R], jobs: list[Job]) -> Iterator[R]:
    """What `work` gives for each job, in a process that has imported a framework."""
    context = get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    server = context.Process(target=_serve, args=(framework, work, jobs, sender))
    server.start()
    sender.close()
    try:
        while True:
            yield receiver.recv()
    except EOFError:
        server.join()
    finally:
        server.terminate()
    if server.exitcode:
        raise RuntimeError(f"The process for {framework} ended with {server.exitcode}; what it printed says why.")


@contextmanager
def _silent() -> Iterator[None]:
    """In the block nothing is written to where errors go, by libraries in C++ neither."""
    kept = os.dup(2)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _serve(framework: str, work: Work[R], jobs: list[Job], sender: Connection) -> None:
    """Import a framework, and do the work."""
    os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "JAX_PLATFORMS": "cpu"}
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    with _silent():
        import_module(IMPORTED[framework])
    for job in jobs:
        for result in work(*job):
            sender.send(result)


def came_of(program: Healthy, pairs: list[Pair]) -> Iterator[Result]:
    """The results of a program and its pairs; where a pair ends its process, another goes on after it."""
    rest, is_first = pairs, True
    while True:
        done = -1
        for result in forked(_results, program, rest):
            done += 1
            if done or is_first:
                yield result
            if not done and result.outcome == "broken":
                return
        if done < 0:
            yield Result("", program.name, "broken", DIED)
        if done in (-1, len(rest)):
            return
        yield Result(rest[done].fault.name, program.name, "broken", DIED)
        rest, is_first = rest[done + 1 :], False


def _results(program: Healthy, pairs: list[Pair]) -> Iterator[Result]:
    result, gradients = healthy(program)
    yield result
    for each in pairs if gradients is not None else []:
        yield scored(each, gradients)


def forked(work: Work[R], *job: Any, seconds: float = SECONDS) -> Iterator[R]:
    """What `work` gives in a fork: all that it gives before it ends, or takes longer than so many seconds for one."""
    receiver, sender = get_context("fork").Pipe(duplex=False)
    child = get_context("fork").Process(target=_run, args=(work, job, sender))
    child.start()
    sender.close()
    try:
        with suppress(EOFError):
            while receiver.poll(seconds):
                yield receiver.recv()
    finally:
        child.kill()
        child.join()


def _run(work: Work[R], job: Job, sender: Connection) -> None:
    with _silent():
        for result in work(*job):
            sender.send(result)
    os._exit(0)
