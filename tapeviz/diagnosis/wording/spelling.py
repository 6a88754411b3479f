"""A finding in TensorFlow's spelling, and the framework of its log -> the finding as that framework's users write.

The rules of this package write fixes as TensorFlow and the engine have them. A table says what another framework
writes for each function; `_0`, `_1` stand for its arguments.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from tapeviz.diagnosis.causes import OR_LEAVE_IT_OUT
from tapeviz.diagnosis.finding import Answer, Finding
from tapeviz.diagnosis.missing import MOVE_THE_CALL, READ_AS_ZERO
from tapeviz.diagnosis.sources import NAME_AND_WATCH, NO_INTEGERS

_JAX = {
    "abs": "jnp.abs",
    "acos": "jnp.arccos",
    "asin": "jnp.arcsin",
    "atan2": "jnp.arctan2",
    "atanh": "jnp.arctanh",
    "cast": "jnp.astype",
    "clip_by_global_norm": "optax.clip_by_global_norm",
    "clip_by_value": "jnp.clip",
    "concat": "jnp.concatenate",
    "constant": "jnp.array",
    "convert_to_tensor": "jnp.asarray",
    "cos": "jnp.cos",
    "cosh": "jnp.cosh",
    "cumsum": "jnp.cumsum",
    "custom_gradient": "jax.custom_vjp",
    "einsum": "jnp.einsum",
    "exp": "jnp.exp",
    "expand_dims": "jnp.expand_dims",
    "float32": "jnp.float32",
    "function": "jax.jit",
    "math.divide_no_nan": "jnp.where(_1 == 0, 0.0, _0 / jnp.where(_1 == 0, 1.0, _1))",
    "math.log": "jnp.log",
    "math.log1p": "jnp.log1p",
    "math.log_sigmoid": "jax.nn.log_sigmoid",
    "math.reciprocal_no_nan": "jnp.where(_0 == 0, 0.0, 1 / jnp.where(_0 == 0, 1.0, _0))",
    "math.reduce_variance": "jnp.var",
    "math.rsqrt": "jax.lax.rsqrt",
    "math.softplus": "jax.nn.softplus",
    "math.xlogy": "jax.scipy.special.xlogy",
    "matmul": "jnp.matmul",
    "maximum": "jnp.maximum",
    "minimum": "jnp.minimum",
    "multiply": "jnp.multiply",
    "nn.log_softmax": "jax.nn.log_softmax",
    "nn.softmax": "jax.nn.softmax",
    "nn.sigmoid_cross_entropy_with_logits": "optax.sigmoid_binary_cross_entropy",
    "norm": "jnp.linalg.norm",
    "pow": "jnp.power",
    "reduce_logsumexp": "jax.nn.logsumexp",
    "reduce_max": "jnp.max",
    "reduce_mean": "jnp.mean",
    "reduce_min": "jnp.min",
    "reduce_prod": "jnp.prod",
    "reduce_sum": "jnp.sum",
    "reshape": "jnp.reshape",
    "round": "jnp.round",
    "sigmoid": "jax.nn.sigmoid",
    "sign": "jnp.sign",
    "sin": "jnp.sin",
    "sinh": "jnp.sinh",
    "size": "jnp.size",
    "sqrt": "jnp.sqrt",
    "square": "jnp.square",
    "squeeze": "jnp.squeeze",
    "stack": "jnp.stack",
    "stop_gradient": "jax.lax.stop_gradient",
    "subtract": "jnp.subtract",
    "tan": "jnp.tan",
    "tanh": "jnp.tanh",
    "tensor_scatter_nd_update": "x.at[...].set",
    "transpose": "jnp.transpose",
    "where": "jnp.where",
}

_TORCH = {
    "Variable": "torch.nn.Parameter",
    "abs": "torch.abs",
    "acos": "torch.acos",
    "asin": "torch.asin",
    "atan2": "torch.atan2",
    "atanh": "torch.atanh",
    "cast": "torch.Tensor.to",
    "clip_by_global_norm": "torch.nn.utils.clip_grad_norm_",
    "clip_by_value": "torch.clamp",
    "concat": "torch.cat",
    "constant": "torch.tensor",
    "convert_to_tensor": "torch.as_tensor",
    "cos": "torch.cos",
    "cosh": "torch.cosh",
    "cumsum": "torch.cumsum",
    "custom_gradient": "torch.autograd.Function",
    "einsum": "torch.einsum",
    "exp": "torch.exp",
    "expand_dims": "torch.unsqueeze",
    "float32": "torch.float32",
    "function": "torch.compile",
    "gather": "torch.gather",
    "math.divide_no_nan": "torch.where(_1 == 0, 0.0, _0 / torch.where(_1 == 0, 1.0, _1))",
    "math.log": "torch.log",
    "math.log1p": "torch.log1p",
    "math.log_sigmoid": "torch.nn.functional.logsigmoid",
    "math.reciprocal_no_nan": "torch.where(_0 == 0, 0.0, 1 / torch.where(_0 == 0, 1.0, _0))",
    "math.reduce_variance": "torch.var",
    "math.rsqrt": "torch.rsqrt",
    "math.softplus": "torch.nn.functional.softplus",
    "math.xlogy": "torch.xlogy",
    "matmul": "torch.matmul",
    "maximum": "torch.maximum",
    "minimum": "torch.minimum",
    "multiply": "torch.multiply",
    "nn.log_softmax": "torch.log_softmax(_0, dim=-1)",
    "nn.sigmoid_cross_entropy_with_logits": "torch.nn.functional.binary_cross_entropy_with_logits",
    "nn.softmax": "torch.softmax(_0, dim=-1)",
    "norm": "torch.linalg.norm",
    "pow": "torch.pow",
    "reduce_logsumexp": "torch.logsumexp(_0, dim=-1)",
    "reduce_max": "torch.amax",
    "reduce_mean": "torch.mean",
    "reduce_min": "torch.amin",
    "reduce_prod": "torch.prod",
    "reduce_sum": "torch.sum",
    "reshape": "torch.reshape",
    "round": "torch.round",
    "sigmoid": "torch.sigmoid",
    "sign": "torch.sign",
    "sin": "torch.sin",
    "sinh": "torch.sinh",
    "size": "torch.numel",
    "sqrt": "torch.sqrt",
    "square": "torch.square",
    "squeeze": "torch.squeeze(_0, dim=1)",
    "stack": "torch.stack",
    "stop_gradient": "_0.detach()",
    "subtract": "torch.subtract",
    "tan": "torch.tan",
    "tanh": "torch.tanh",
    "tensor_scatter_nd_update": "torch.index_put",
    "transpose": "torch.permute",
    "where": "torch.where",
}

FUNCTIONS: Mapping[str, Mapping[str, str]] = {"jax": _JAX, "torch": _TORCH}
"""Framework -> what it writes for TensorFlow's functions."""

PHRASES: Mapping[str, Mapping[str, str]] = {
    "jax": {
        NO_INTEGERS: "no gradient passes an integer: `jax.grad` raises a TypeError for it",
        "gets None": "gets no gradient (zeros in JAX)",
        OR_LEAVE_IT_OUT: ", or leave it out of `argnums`",
    },
    "torch": {
        OR_LEAVE_IT_OUT: ", or read its `.grad` as zero",
        READ_AS_ZERO: "Read None as zero, or pass `allow_unused=True`.",
        "a plain tensor that nothing asked the tape to follow": "a plain tensor that requires no gradient",
        " at the top of the tape's block, or make ": " before its first use, or make ",
        NAME_AND_WATCH: "Create it with `requires_grad=True`.",
        "is watched at": "is set to require a gradient at",
        "the ops before the watch were not recorded": "autograd did not follow the ops before that",
        MOVE_THE_CALL: "Pass `create_graph=True` to that call, so that its result can be differentiated again.",
        "was not recorded by the tape that is to differentiate it again: for that tape it is a number": (
            "had no `create_graph=True`: its result is a plain number"
        ),
        "or call `tape.watch(...)` on it at the top of the tape's block": (
            "or call `requires_grad_()` on it before its first use"
        ),
        " out of the sources; if": " out of what is trained; if",
        "`trainable=": "`requires_grad=",
        "`tape.gradient(": "`torch.autograd.grad(",
        "Run the tape's block again with": "Compute the target again with",
        ".assign(...)`": ".copy_(...)` under `torch.no_grad()`",
        "take `detach` of": "`detach()`",
        "The tape does not follow it": "Autograd does not follow it",
        "which the tape cannot follow": "which autograd cannot follow",
        "which the tape does not follow": "which autograd does not follow",
        "so the tape does not know from what": "so autograd does not know from what",
        "the tape's block": "that line's function",
        "the gradient is None": "`.grad` is None",
        ".assign_sub(step)`": ".sub_(step)` under `torch.no_grad()`",
        "`tape.jacobian`": "`torch.func.jacrev`",
        "`tf.Variable`": "`torch.nn.Parameter`",
        "`tf.` function": "`torch.` function",
        "the tape": "autograd",
    },
}
"""Framework -> what it says in place of phrases of TensorFlow's."""

_REDUCTIONS = ("all", "any", "logsumexp", "max", "mean", "min", "norm", "prod", "sum")

OPS: Mapping[str, Mapping[str, str]] = {
    "jax": {"clip_by_value": "clip"},
    "torch": {
        "clip_by_value": "clamp",
        "stop_gradient": "detach",
        **{f"reduce_{each}": each for each in _REDUCTIONS},
    },
}
"""Framework -> what it calls an op whose name in a log its users do not know; none that a variable may have, too."""

WATCHES: Mapping[str, str] = {"torch": r"\1.requires_grad_()"}
"""Framework -> what it writes in place of `tape.watch(x)`, of which x is the first group."""

ZEROS: Mapping[str, str] = {
    "gets None": "gets zeros in the place of None",
    OR_LEAVE_IT_OUT: ", or leave it out of the sources",
    READ_AS_ZERO: "Leave it so: zero is what the derivative is.",
}
"""What is said where a call gave zeros for None, as it was asked to."""

Said = TypeVar("Said", bound=Finding | Answer)

_WATCH = re.compile(r"tape\.watch\((?!\.\.\.)([^()]+)\)")
_PARTS = re.compile(r"`(?P<code>[^`]+)`|(?P<place>\S+, line \d+)|(?P<word>\w+)")
_FUNCTION = re.compile(r"\btf\.([a-z_][\w.]*\w)")


def zeros_for_none(finding: Finding) -> Finding:
    """Why there would be None, where there are zeros."""
    return replace(finding, message=_phrased(finding.message, ZEROS), fix=_phrased(finding.fix, ZEROS))


def translated(said: Said, framework: str) -> Said:
    """What was found or answered, in the words of a framework; one that has no table is spoken to in TensorFlow's.

    >>> finding = Finding("domain_edge", "nan", "error", 0, 1, None, "...", "Write `tf.sqrt(x + 1e-12)`.", ())
    >>> translated(finding, "jax").fix
    'Write `jnp.sqrt(x + 1e-12)`.'
    """
    if framework not in FUNCTIONS:
        return said
    message = _text(said.message, framework)
    if isinstance(said, Answer):
        paths = tuple(_text(each, framework) for each in said.paths)
        warnings = tuple(translated(each, framework) for each in said.warnings)
        return replace(said, message=message, paths=paths, warnings=warnings)
    return replace(said, message=message, fix=_text(said.fix, framework))


def _text(text: str, framework: str) -> str:
    text = _PARTS.sub(lambda part: _part(part, OPS[framework], FUNCTIONS[framework]), text)
    text = _WATCH.sub(WATCHES.get(framework, r"\g<0>"), text)
    return _phrased(text, PHRASES[framework])


def _part(part: re.Match[str], ops: Mapping[str, str], functions: Mapping[str, str]) -> str:
    """A part of a text: code with its functions and ops renamed, an op of a path, or what stays as it is."""
    code = part["code"]
    if code is None:
        return ops.get(part[0], part[0])
    return f"`{ops.get(code) or _code(code, functions)}`"


def _phrased(text: str, phrases: Mapping[str, str]) -> str:
    for phrase, own in phrases.items():
        text = text.replace(phrase, own) if "`" in phrase else _outside_names(text, phrase, own)
    return text


def _outside_names(text: str, phrase: str, own: str) -> str:
    """A text with one phrase in place of another, but not in code, which may be the user's, nor in a place."""
    return re.sub(rf"(`[^`]+`|\S+, line \d+)|{re.escape(phrase)}", lambda found: found[1] or own, text)


def _code(code: str, functions: Mapping[str, str]) -> str:
    """An expression in another spelling; of what is no expression only the names of functions change."""
    if not _FUNCTION.search(code):
        return code
    try:
        tree = ast.parse(code, mode="eval")
    except SyntaxError:
        return _FUNCTION.sub(lambda found: functions.get(found[1], found[0]).partition("(")[0], code)
    return ast.unparse(_Speller(functions).visit(tree))


class _Speller(ast.NodeTransformer):
    """Changes the functions in a syntax tree."""

    def __init__(self, functions: Mapping[str, str]) -> None:
        self._functions = functions

    def visit_Call(self, node: ast.Call) -> ast.AST:
        own = self._of(node.func)
        if own is None or "_0" not in own:
            return self.generic_visit(node)
        arguments = {f"_{index}": self.visit(each) for index, each in enumerate(node.args)}
        filled: ast.AST = _Filled(arguments).visit(ast.parse(own, mode="eval").body)
        return filled

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        own = self._of(node)
        return (
            self.generic_visit(node)
            if own is None
            else ast.parse(own.partition("(")[0].removeprefix("_0."), mode="eval").body
        )

    def _of(self, function: ast.expr) -> str | None:
        found = _FUNCTION.fullmatch(ast.unparse(function))
        return None if found is None else self._functions.get(found[1])


class _Filled(ast.NodeTransformer):
    """Puts arguments into the places of a template."""

    def __init__(self, arguments: Mapping[str, ast.AST]) -> None:
        self._arguments = arguments

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._arguments.get(node.id, node)
