"""A program's text -> what is found in it, and the gradients that the framework gives without a recording."""

from __future__ import annotations

import json
import linecache
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import tapeviz
from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.events import EventLog
from tapeviz.events.program.frames import GENERATED
from tests.diagnosis.planted.symptoms import Numbers, numbers

PROGRAM = "program.py"
"""What a program's file is called in its folder."""

ERROR: Numbers = {"error": None}
"""The gradients of a program that ended in one."""


RECORDS = "tapeviz.record_jax"
"""What a program of JAX's is given to record a function by: its log is its own."""


def by_command(folder: Path) -> list[dict[str, Any]]:
    """The findings that `tapeviz run --json` writes; of a program that records itself, those of its log."""
    if RECORDS in (folder / PROGRAM).read_text():
        return in_process(folder)
    found = folder / "found.json"
    found.unlink(missing_ok=True)
    command = [sys.executable, "-m", "tapeviz", "run", "--json", found.name, PROGRAM]
    path = os.pathsep.join(filter(None, (str(Path.cwd()), os.environ.get("PYTHONPATH"))))
    subprocess.run(command, cwd=folder, env=os.environ | {"PYTHONPATH": path}, capture_output=True, check=False)
    told = json.loads(found.read_text())["findings"] if found.exists() else []
    assert isinstance(told, list)
    return told


def in_process(folder: Path) -> list[dict[str, Any]]:
    """The same in this process."""
    text = (folder / PROGRAM).read_text()
    log = _own_log(text) if RECORDS in text else _log(text)
    _as_it_was()
    found = [] if log is None else diagnose(log).to_dict()["findings"]
    assert isinstance(found, list)
    return found


def _log(text: str) -> EventLog:
    """The recording of a program."""
    with tapeviz.record() as log, suppress(Exception):
        _execute(text)
    return log


def _own_log(text: str) -> EventLog | None:
    """The log that a program leaves, or that the error has in which its recording ended."""
    try:
        log = _execute(text)["log"]
    except Exception as error:  # whatever a faulty program ends in
        log = getattr(error, "log", None)
    assert log is None or isinstance(log, EventLog)
    return log


def gradients(text: str, framework: str) -> Numbers:
    """What a program leaves as `gradients`; of one that leaves none, what its gradient calls gave, and its leaves have.

    The calls are those that the program makes itself.
    """
    module, given = import_module(framework), list[Any]()
    try:
        with _noted(module, given):
            space = _execute(text)
        return numbers(space["gradients"] if "gradients" in space else [given, _left(space, module)])
    except Exception:  # whatever a faulty program ends in
        return ERROR
    finally:
        _as_it_was()


def _execute(text: str) -> dict[str, Any]:
    """The names that a program leaves."""
    linecache.cache[PROGRAM] = (len(text), None, text.splitlines(keepends=True), PROGRAM)
    space: dict[str, Any] = {"__name__": "program"}
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        exec(compile(text, PROGRAM, "exec"), space)
    return space


@contextmanager
def _noted(module: Any, given: list[Any]) -> Iterator[None]:
    """Into `given`: what each gradient call in the block gives."""
    owner, names = _gradient_calls(module)
    plain = {name: getattr(owner, name) for name in names}
    for name, call in plain.items():
        setattr(owner, name, _noting(_unrecorded if owner is tapeviz else call, given))
    try:
        yield
    finally:
        for name, call in plain.items():
            setattr(owner, name, call)


def _gradient_calls(module: Any) -> tuple[Any, tuple[str, ...]]:
    if hasattr(module, "GradientTape"):
        return module.GradientTape, ("gradient", "jacobian", "batch_jacobian")
    return (module.autograd, ("grad",)) if hasattr(module, "autograd") else (tapeviz, ("record_jax",))


def _unrecorded(
    function: Callable[..., Any], *args: Any, argnums: int | Sequence[int] = 0, has_aux: bool = False, **named: Any
) -> Any:
    """What JAX gives where `record_jax` is called, leaf by leaf.

    A function that takes its own gradients, as a training step does, gives what it makes of them.
    """
    import jax

    try:
        given = jax.grad(function, argnums=argnums, has_aux=has_aux)(*args, **named)
    except TypeError as error:
        if "scalar-output" not in str(error):
            raise
        given = function(*args, **named)
    return jax.tree_util.tree_leaves(given, is_leaf=lambda each: each is None)


def _noting(call: Any, given: list[Any]) -> Any:
    inside: list[bool] = []

    def noting(*args: Any, **named: Any) -> Any:
        inside.append(True)  # a jacobian asks for gradients itself
        try:
            result = call(*args, **named)
        finally:
            inside.pop()
        if not inside:
            given.append(result)
        return result

    noting.__code__ = noting.__code__.replace(co_filename=GENERATED)
    return noting


def _left(space: dict[str, Any], module: Any) -> dict[str, Any]:
    """The gradients that stay in the tensors and modules of a program of PyTorch's."""
    if not hasattr(module, "set_grad_enabled"):
        return {}
    found = {}
    for name, value in sorted(space.items()):
        if isinstance(value, module.nn.Module):
            found |= {f"{name}.{own}": each.grad for own, each in value.named_parameters()}
        elif isinstance(value, module.Tensor) and value.requires_grad and (value.is_leaf or value.retains_grad):
            found[name] = value.grad
    return found


def _as_it_was() -> None:
    """A faulty program may leave recording switched off; names of layers are counted, and numbers drawn one by one."""
    torch, keras = sys.modules.get("torch"), sys.modules.get("keras")
    if torch is not None:
        torch.set_grad_enabled(True)
        torch.manual_seed(0)
    if keras is not None:
        keras.backend.clear_session()
        keras.utils.set_random_seed(0)
