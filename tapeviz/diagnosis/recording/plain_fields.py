"""Graph -> a hint at a module's field that holds a number of Python's, beside fields that are differentiated.

Who differentiates what is an array in a module leaves such a number out: `equinox.filter_grad` gives None for it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from tapeviz.diagnosis.edits.editor import Editor
from tapeviz.diagnosis.finding import Finding
from tapeviz.diagnosis.gradient_call import GradientCall, finished_calls
from tapeviz.diagnosis.wording.fix import Fix
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import Site
from tapeviz.graph import Graph
from tapeviz.phrases import quoted
from tapeviz.source.statements import callee, span_of


class Field(NamedTuple):
    """A field of a class of the user's, and the number that one of its objects is made with."""

    name: str
    owner: str
    value: ast.Constant
    construction: ast.Call


def plain_fields(graph: Graph) -> Iterator[Finding]:
    """A field of a module is multiplied with what is differentiated, and was given a number that is no array.

    A field with a default is a setting, and so is one that no formula of the class scales by.
    """
    calls = finished_calls(graph) if graph.log.facts.differentiates_arguments else []
    known: set[str] = set()
    for call in calls:
        sources = {(graph.log.tensors[each].name or "").rpartition(".")[2] for each in call.sources} - {""}
        for field in _fields(call, sources):
            if field.name not in known:
                known.add(field.name)
                yield _finding(call, field)


def _fields(call: GradientCall, sources: set[str]) -> Iterator[Field]:
    """The fields that hold a number, of classes of which another field is a source."""
    nodes = list(call.texts.of(call.site).walk()) if call.site is not None else []
    constructions = [each for each in nodes if isinstance(each, ast.Call)]
    for owner in (each for each in nodes if isinstance(each, ast.ClassDef)):
        declared = _declared(owner)
        if sources.isdisjoint(declared):
            continue
        scaling = _scaling(owner)
        for each in constructions:
            for name, value in _arguments(each, list(declared)) if callee(each) == owner.name else ():
                if not (isinstance(value, ast.Constant) and isinstance(value.value, float)):
                    continue
                if declared[name] == "float" and name in scaling - sources:
                    yield Field(name, owner.name, value, each)


def _declared(owner: ast.ClassDef) -> dict[str, str]:
    """The fields of a class that have no default, in their order, and what each is annotated with."""
    return {
        each.target.id: ast.unparse(each.annotation)
        for each in owner.body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and each.value is None
    }


def _scaling(owner: ast.ClassDef) -> set[str]:
    """The fields by which a formula of the class multiplies or divides, or which it raises to a power."""
    operands = [
        side
        for each in ast.walk(owner)
        if isinstance(each, ast.BinOp) and isinstance(each.op, ast.Mult | ast.Div | ast.Pow)
        for side in (each.left, each.right)
    ]
    bare = [each.operand if isinstance(each, ast.UnaryOp) else each for each in operands]
    return {
        each.attr
        for each in bare
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == "self"
    }


def _arguments(call: ast.Call, names: list[str]) -> Iterator[tuple[str, ast.expr]]:
    """What a call gives the fields of the class."""
    yield from zip(names, call.args, strict=False)
    yield from ((each.arg, each.value) for each in call.keywords if each.arg in names)


def _finding(call: GradientCall, field: Field) -> Finding:
    own, number = quoted(f"{field.owner}.{field.name}"), repr(field.value.value)
    site, editor = _site(call, field.construction), Editor(call.log)
    return Finding.at(
        call.log,
        "not_trainable",
        site,
        f"{own} is the number {number} of Python's and no array: the gradient asked for at {words(call.site)} is that "
        "of arrays, and has nothing for it.",
        Fix(
            f"If it is to learn, make it an array: {quoted(f'tf.constant({number})')}.",
            editor.replace(site, editor.node(_exactly(field.value, site)), f"tf.constant({number})"),
        ),
        call.position,
        severity="hint",
        target=call.targets[0],
    )


def _site(call: GradientCall, node: ast.expr) -> Site:
    assert call.site is not None
    return call.texts.of(call.site).whole_line(node.lineno, call.site)


def _exactly(node: ast.expr, site: Site) -> Site:
    """The site of an expression alone."""
    line, column, end_line, end_column = span_of(node)
    return replace(site, line=line, end_line=end_line, column=column, end_column=end_column)


RULES = (plain_fields,)
