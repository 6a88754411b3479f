r"""An op and the row of its name -> the row with the formulas that hold for this op, with its options.

A row of the catalog is written for the commonest form of an op. Other options make it compute something else; formulas
for the commonest of these are here. Without some operands it computes less: a layer without a bias adds none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from tapeviz.events import EventLog
from tapeviz.events.row import Row
from tapeviz.graph import Op
from tapeviz.views.words.edges import open_edges

Values: TypeAlias = Mapping[str, Collection[Any]]

_ONE = (1,)
_MEAN: Values = {"reduction": ("mean",)}
_FACTOR: Values = {"alpha": _ONE}
_UNBIASED: Values = {"correction": _ONE, "unbiased": (True,)}
_FORWARD: Values = {"reverse": (False,), "exclusive": (False,)}
AT: Mapping[str, Values] = {
    "add": _FACTOR,
    "addmm": {"alpha": _ONE, "beta": _ONE},
    "batch_norm": {"training": (True,)},
    "binary_cross_entropy": _MEAN,
    "cross_entropy": {**_MEAN, "label_smoothing": (0.0,)},
    "cumprod": _FORWARD,
    "cumsum": _FORWARD,
    "cumulative_logsumexp": _FORWARD,
    "div": {"rounding_mode": ()},
    "elu": _FACTOR,
    "gelu": {"approximate": ("none", False)},
    "l1_loss": _MEAN,
    "matmul": {"transpose_a": (False,), "transpose_b": (False,), "adjoint_a": (False,), "adjoint_b": (False,)},
    "mse_loss": _MEAN,
    "nll_loss": _MEAN,
    "reduce_norm": {"ord": (2, "fro")},
    "sigmoid_cross_entropy": _MEAN,
    "softplus": {"beta": _ONE},
    "standard_deviation": _UNBIASED,
    "sub": _FACTOR,
    "variance": _UNBIASED,
}
"""The values of options for which the formulas of rows hold; an option that an op does not state has one of them."""


class Formulas(NamedTuple):
    """Those of an op, as in a row: the result, and the VJP of each argument."""

    result: str
    vjps: Mapping[str, str | None]


def _squares(of_all: str) -> Formulas:
    return Formulas(
        rf"{of_all}\left( {{x}} - {{y}} \right)^{{2}}",
        {"x": r"{g} \cdot 2 ({x} - {y})", "y": r"-{g} \cdot 2 ({x} - {y})"},
    )


def _distances(of_all: str) -> Formulas:
    slope = r"{g} \cdot \operatorname{sign}({x} - {y})"
    return Formulas(rf"{of_all}\left| {{x}} - {{y}} \right|", {"x": slope, "y": f"-{slope}"})


def _running(before: str, after: str) -> Formulas:
    return Formulas(rf"\sum_{{j {before} i}} {{x}}_j", {"x": rf"\sum_{{j {after} i}} {{g}}_j"})


def _logistic(of_all: str) -> Formulas:
    return Formulas(
        rf"{of_all}\ln(1 + e^{{{{logits}}}}) - {{labels}} \cdot {{logits}}",
        {"logits": r"{g} \cdot (\sigma({logits}) - {labels})", "labels": r"-{g} \cdot {logits}"},
    )


_SUM = r"\sum "
_SHARES = r"{g} \cdot \left( \operatorname{softmax}({logits}) - \mathbf{1}_{{labels}} \right)"
OTHERWISE: Mapping[str, Mapping[tuple[str, ...], Formulas]] = {
    "add": {("alpha",): Formulas(r"{x} + {alpha} \cdot {y}", {"x": "{g}", "y": r"{alpha} \cdot {g}"})},
    "sub": {("alpha",): Formulas(r"{x} - {alpha} \cdot {y}", {"x": "{g}", "y": r"-{alpha} \cdot {g}"})},
    "cross_entropy": {
        ("reduction=sum",): Formulas(
            r"-\sum \ln \operatorname{softmax}({logits})_{{labels}}", {"logits": _SHARES, "labels": None}
        ),
        ("reduction=none",): Formulas(
            r"-\ln \operatorname{softmax}({logits})_{{labels}}", {"logits": _SHARES, "labels": None}
        ),
    },
    "cumsum": {
        ("reverse=True",): _running(r"\ge", r"\le"),
        ("exclusive=True",): _running("<", ">"),
        ("exclusive=True", "reverse=True"): _running(">", "<"),
    },
    "elu": {
        ("alpha",): Formulas(
            r"{x} \text{ if } {x} \ge 0 \text{ else } {alpha} \cdot (e^{{x}} - 1)",
            {"x": r"{g} \cdot (1 \text{ if } {out} \ge 0 \text{ else } {out} + {alpha})"},
        )
    },
    "l1_loss": {("reduction=sum",): _distances(_SUM), ("reduction=none",): _distances("")},
    "matmul": {
        ("transpose_a=True",): Formulas(
            r"{x}^{\mathsf{T}} \, {y}", {"x": r"{y} \, {g}^{\mathsf{T}}", "y": r"{x} \, {g}"}
        ),
        ("transpose_b=True",): Formulas(
            r"{x} \, {y}^{\mathsf{T}}", {"x": r"{g} \, {y}", "y": r"{g}^{\mathsf{T}} \, {x}"}
        ),
        ("transpose_a=True", "transpose_b=True"): Formulas(
            r"{x}^{\mathsf{T}} \, {y}^{\mathsf{T}}",
            {"x": r"{y}^{\mathsf{T}} \, {g}^{\mathsf{T}}", "y": r"{g}^{\mathsf{T}} \, {x}^{\mathsf{T}}"},
        ),
    },
    "mse_loss": {("reduction=sum",): _squares(_SUM), ("reduction=none",): _squares("")},
    "sigmoid_cross_entropy": {("reduction=none",): _logistic("")},
    "softplus": {
        ("beta",): Formulas(
            r"\frac{\ln(1 + e^{{beta} \cdot {x}})}{{beta}}", {"x": r"{g} \cdot \sigma({beta} \cdot {x})"}
        )
    },
}
"""Op -> those of its options that have other values, in alphabetical order -> the formulas that hold then.

An option without a value may have any.
"""

_HALF = r"\frac{1}{2} [{x} = {y}]"
HALVED: Mapping[str, Formulas] = {
    name: Formulas(
        formula,
        {argument: rf"{{g}} \cdot \left( [{{x}} {sign} {{y}}] + {_HALF} \right)" for argument, sign in signs.items()},
    )
    for name, formula, signs in (
        ("maximum", r"\max({x}, {y})", {"x": ">", "y": "<"}),
        ("minimum", r"\min({x}, {y})", {"x": "<", "y": ">"}),
    )
}
"""What holds where each of two equal operands gets half of the gradient."""
TIE = "{x} = {y}: each gets half of the gradient"

MOST_OPERANDS = dict.fromkeys(("binary_cross_entropy", "cross_entropy", "nll_loss", "sigmoid_cross_entropy"), 2)
"""The most operands for which the formulas of these losses hold: with weights they are others."""


def row_of(log: EventLog, op: Op) -> Row | None:
    """What is known of an op, with the formulas and edges that hold for it: no formulas if its options change them."""
    row = log.row_of(op)
    if row is None:
        return None
    if row.name in HALVED and log.facts.halves_ties:
        row = replace(row, formula=HALVED[row.name].result, vjps=HALVED[row.name].vjps, domain=(TIE,))
    return _variant(log, op, row, open_edges(log, op, row.arguments, row.domain))


def _variant(log: EventLog, op: Op, row: Row, edges: tuple[str, ...]) -> Row:
    """A row with these edges and the formulas that hold for an op: one object for all ops alike."""
    key = ("variant", op.op, repr(op.attrs) if op.attrs else "", len(op.inputs), edges)
    return log.once(key, lambda: replace(_of_op(op, row), domain=edges))


def _of_op(op: Op, row: Row) -> Row:
    """A row with the formulas that hold for an op."""
    attributes = dict(op.attrs)
    is_other = len(op.inputs) > MOST_OPERANDS.get(row.name, len(op.inputs))
    formulas = Formulas("", {}) if is_other else _of_options(row, attributes)
    absent = [each for each in row.arguments[len(op.inputs) :] if each not in attributes]
    result = _without(formulas.result, absent)
    rules = {argument: result and _without(formulas.vjps.get(argument) or "", absent) for argument in row.arguments}
    told = {argument: rule or None for argument, rule in rules.items()}
    return replace(row, formula=result, vjps=told)


def _of_options(row: Row, attributes: Mapping[str, Any]) -> Formulas:
    """The formulas that hold for an op with these options; none where none are known."""
    values = AT.get(row.name, {})
    others = sorted(name for name, value in attributes.items() if name in values and value not in values[name])
    if not others:
        return Formulas(row.formula, row.vjps)
    known = OTHERWISE.get(row.name, {})
    told = [f"{name}={attributes[name]}" for name in others]
    return known.get(tuple(told)) or known.get(tuple(others)) or Formulas("", {})


def _without(template: str, absent: Collection[str]) -> str:
    r"""A template without the terms and factors of arguments that an op does not have; "" where it needs them.

    >>> _without(r"{x} \cdot {weight} + {bias}", ["bias"]), _without(r"\min({x}, {high})", ["high"])
    ('{x} \\cdot {weight}', '')
    """
    for argument in absent:
        template = re.sub(rf" (\+|\\cdot) \{{{argument}\}}", "", template)
    return "" if any(f"{{{argument}}}" in template for argument in absent) else template
