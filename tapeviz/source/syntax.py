"""The syntax of a source -> what an expression asks for, whatever values run through it."""

from __future__ import annotations

import ast
from itertools import takewhile

from tapeviz.events import Site
from tapeviz.source.parsing import parse_expression
from tapeviz.source.statements import holds, span
from tapeviz.source.text import SourceText

OF_A_TAPE = ("gradient", "jacobian", "batch_jacobian")
"""The methods of a tape that give gradients: of its first argument, with respect to the second."""

_CALLS = frozenset((*OF_A_TAPE, "grad", "backward"))
"""With those of `torch.autograd`."""


def asked_for(text: SourceText, site: Site) -> list[str]:
    """The source texts of target and sources in the gradient call at a site, [] where there is none of the known ones.

    Of `loss.backward()` that is `loss`. Many other calls lead to a gradient, as `fit` does, and take other things; so
    may a `backward` with arguments, which are a seed or, of somebody's trainer, the target.
    """
    match text.call_at(site):
        case ast.Call(func=ast.Attribute(value=owner, attr="backward"), args=given) if not _is_autograd(owner):
            return [] if given else [ast.unparse(owner)]
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=given) if name in _CALLS:
            return [ast.unparse(each) for each in takewhile(_stands_alone, given)]
    return []


def _is_autograd(owner: ast.expr) -> bool:
    return ast.unparse(owner).endswith("autograd")


def opened_in(text: SourceText, site: Site) -> str | None:
    """The name of what the `with` at a site opens, None where it opens several, or one without a name."""
    withs = [node for node in text.enclosing(site) if isinstance(node, ast.With | ast.AsyncWith)]
    items = withs[-1].items if withs else []
    own = [each for each in items if holds(each.context_expr, span(site))] or items
    opened = [each.optional_vars or each.context_expr for each in own]
    names = [each.id for each in opened if isinstance(each, ast.Name)]
    return names[0] if len(names) == 1 else None


def only_element(argument: str) -> str:
    """The one element of a list that is written out, and any other expression as it is.

    >>> only_element("[w]"), only_element("[w, b]"), only_element("weights")
    ('w', '[w, b]', 'weights')
    """
    match parse_expression(argument):
        case ast.List(elts=[element]) | ast.Tuple(elts=[element]) if _stands_alone(element):
            return ast.unparse(element)
    return argument


def _stands_alone(argument: ast.expr) -> bool:
    """Whether an argument is not written as several, `*pair`, after which no place is known."""
    return not isinstance(argument, ast.Starred)
