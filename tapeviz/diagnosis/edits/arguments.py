"""A function of JAX's and the argument that it is differentiated by -> the edit that names another one."""

from __future__ import annotations

import ast

from tapeviz.diagnosis.question import Question
from tapeviz.events import Site
from tapeviz.graph import is_real
from tapeviz.source.edits import Edit

_OPTION = "argnums"
_PARTS = ("[", ".")
"""What stands behind the name of an argument in those of its leaves."""


def by_the_parameters(question: Question, site: Site | None) -> Edit | None:
    """The one other argument that is a structure of floats alone, as parameters are, is differentiated by.

    That is where the first argument, by which JAX differentiates unless it is told otherwise, holds integers.
    """
    call = question.editor.node(site)
    match call:
        case ast.Call(args=[ast.Name(id=called), *_], keywords=named) if site is not None:
            function = question.editor.file(site).function(called)
        case _:
            return None
    if function is None or function.args.posonlyargs or any(each.arg == _OPTION for each in named):
        return None
    names = [each.arg for each in function.args.args]
    if not names or _root(question.log.tensors[question.source].name) != names[0]:
        return None
    alike = [number for number, name in enumerate(names) if number and _is_structure_of_floats(question, name)]
    return question.editor.give(site, call, _OPTION, str(alike[0])) if len(alike) == 1 else None


def _root(name: str | None) -> str:
    """The argument that a leaf is one of, by its name."""
    ends = [name.index(each) for each in _PARTS if each in name] if name else []
    return name[: min(ends, default=len(name))] if name else ""


def _is_structure_of_floats(question: Question, argument: str) -> bool:
    rows = [each for each in question.log.tensors if _root(each.name) == argument]
    return bool(rows) and all(each.name != argument and is_real(each.dtype) for each in rows)
