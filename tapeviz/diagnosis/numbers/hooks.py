"""A contribution that arrives sound, and is zero or NaN afterwards -> the hook that made it so (PyTorch).

A hook on a tensor, `h.register_hook(f)`, is handed the whole gradient of it, and what it returns goes on in its place.
"""

from __future__ import annotations

import ast

import numpy as np

from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.numbers.run_numbers import Onset
from tapeviz.diagnosis.wording.naming import name_of
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import Site
from tapeviz.phrases import counted, unquoted
from tapeviz.source.places import site_at

_ROUNDING = 1e-2
"""What is left of a sum, relative to its parts, is more than rounding if it is more than this, also in bfloat16."""


def is_hooks_doing(call: GradientCall, onset: Onset) -> bool:
    """Whether a hook made bad what a tensor got: the only contribution, or several that do not cancel by themselves."""
    if not onset.is_of_total or onset.contribution.parts == 1:
        return onset.is_of_total
    parts = [call.numbers.value(each.cotangent) for _, each in call.numbers.contributions[onset.contribution.tensor]]
    if any(each is None for each in parts) or len({each.shape for each in parts}) > 1:
        return False
    largest = max(float(np.abs(each).max(initial=0.0)) for each in parts)
    with np.errstate(over="ignore"):  # as sums do in few bits
        most = float(np.abs(sum(parts)).max(initial=0.0))
    return bool(np.isfinite(largest) and np.isfinite(most) and most > _ROUNDING * largest)


def effect(call: GradientCall, onset: Onset, numbers: str) -> tuple[str, Site | None]:
    """What the hook does to the contribution, in words, if it makes `numbers` of it; and the line of the hook."""
    line, tensor = registered_at(call, onset), name_of(call.graph, onset.contribution.tensor)
    of = "" if line is None else f", registered at {words(line)},"
    others = onset.contribution.parts - 1
    beside, it = "", "it"
    if others:
        beside, it = f", as {'does' if others == 1 else 'do'} {counted(others, 'other op')}", "their sum"
    return f"hands on a gradient to {tensor}{beside}, and a hook there{of} makes {numbers} of {it}", line


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
