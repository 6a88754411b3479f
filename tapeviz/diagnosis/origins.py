"""Gradient call, leaf -> the expression that the text gives its name to, where no recorder saw the leaf being made."""

from __future__ import annotations

import ast

from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.events import Site
from tapeviz.source.assignments import only_value
from tapeviz.source.places import site_at


def value_given(call: GradientCall, leaf: int) -> tuple[Site, ast.expr] | None:
    """The one expression of which the function that first reads a leaf makes it, and its site."""
    at, slot = next(iter(call.graph.consumers(leaf)), (None, 0))
    reading = site_at(call.log, at)
    if reading is None:
        return None
    text = call.texts.of(reading)
    name = call.log.tensors[leaf].name or text.operand(reading, slot)
    return None if name is None else only_value(text, name, reading)
