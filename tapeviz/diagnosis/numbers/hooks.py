"""A contribution that arrives sound, and is zero or NaN afterwards -> the hook that made it so (PyTorch).

A hook on a tensor, `h.register_hook(f)`, is handed the whole gradient of it, and what it returns goes on in its place.
"""

from __future__ import annotations

import ast

from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.numbers.run_numbers import Onset
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import Site
from tapeviz.phrases import unquoted
from tapeviz.source.places import site_at


def is_hooks_doing(onset: Onset) -> bool:
    """Whether a hook made the only contribution bad that a tensor got."""
    return onset.is_of_total and onset.contribution.parts == 1


def effect(call: GradientCall, onset: Onset, numbers: str) -> tuple[str, Site | None]:
    """What the hook does to the contribution, in words, if it makes `numbers` of it; and the line of the hook."""
    line, tensor = registered_at(call, onset), name_of(call.graph, onset.contribution.tensor)
    of = "" if line is None else f", registered at {words(line)},"
    return f"hands on a gradient to {tensor}, and a hook there{of} makes {numbers} of it", line


def registered_at(call: GradientCall, onset: Onset) -> Site | None:
    """The line that put the hook there, if one in the file of the op or of the tensor does so by the tensor's name."""
    tensor = onset.contribution.tensor
    name = unquoted(name_of(call.graph, tensor))
    for made in (call.graph.made_at(tensor), onset.step.op):
        site = site_at(call.log, made)
        if site is None:
            continue
        text = call.texts.of(site)
        for node in text.walk():
            match node:
                case ast.Call(func=ast.Attribute(value=owner, attr="register_hook")):
                    written = ast.unparse(owner)
                    if written == name or written.endswith(f".{name}"):
                        return text.whole_line(node.lineno, site)
    return None
