"""An error and the program that it ended -> whether the message says what it is about, and what to do."""

from __future__ import annotations

import ast
import re

_SILENT = frozenset(
    ("tf", "np", "self", "the", "and", "for", "not", "lambda", "data", "setup", "each", "print", *"xyzabcfgvwikn")
)
"""Names of programs that say nothing of what is in them, and words of English."""
_SIGNS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.MatMult: "matmul", ast.Pow: "pow",
    ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
    ast.Lt: "less", ast.LtE: "less", ast.Gt: "greater", ast.GtE: "greater", ast.Eq: "equal", ast.NotEq: "equal",
    ast.USub: "neg", ast.UAdd: "+", ast.Invert: "not", ast.Not: "not", ast.LShift: "<<", ast.RShift: ">>",
    ast.Subscript: "getitem", ast.Delete: "del", ast.If: "condition", ast.While: "condition", ast.For: "iteration",
}  # fmt: skip
"""What errors call Python's operators and statements."""


_OPS = {
    "subtract": "sub",
    "negative": "neg",
    "multiply": "mul",
    "divide": "div",
    "truediv": "div",
    "floormod": "mod",
    "norm": "sqrt",
    "constant": "tensor",
    "ones": "tensor",
    "zeros": "tensor",
    "hash": "unhashable",
    "bool": "truth",
    "list": "iterate",
    "iter": "iterate",
    "positive": "greater",
    "assert_negative": "less",
    "clip": "mul",
    "assert_non_positive": "less",
    "searchsorted": "bound",
    "crelu": "concat",
    "meshgrid": "mul",
    "np": "numpy",
    "log_poisson_loss": "exp",
    "convert_to_tensor": "stack",
    "Mean": "cast",
}
"""What errors call the ops of functions with another name."""
_PYTHONS = (
    *("has no attribute", "unexpected keyword argument", "positional argument", "is not defined", "no signature found"),
    *("missing a required argument", "is not subscriptable", "is not iterable", "not an iterator", "is not callable"),
    *("unsupported operand type", "does not support item assignment", "unhashable type", "must be an iterable"),
    *("not supported between instances", "cannot be interpreted as an integer", "is not a callable object"),
    *("has no len()", "index out of range", "truth value of an array"),
)
"""What is in the messages of Python itself, which name what they are about and give no advice."""


def words_of(program: str) -> set[str]:
    """What a program names: functions, arguments, attributes, dtypes, texts, numbers, and ops by their signs."""
    found: set[str] = set()
    signs: set[str] = set()
    for node in ast.walk(ast.parse(program)):
        signs |= {word for kind, word in _SIGNS.items() if isinstance(node, kind)}
        for field in ("id", "attr", "arg", "name"):
            if isinstance(name := getattr(node, field, None), str):
                found |= {name, *name.split("_")}
    ops = {_OPS[word] for word in found if word in _OPS}
    found -= _SILENT
    texts = [str(node.value) for node in ast.walk(ast.parse(program)) if isinstance(node, ast.Constant)]
    found |= {word for text in texts for word in re.findall(r"\w+", text)}
    return signs | ops | {word.lower() for word in found if word}


def names(program: str, message: str) -> bool:
    """Whether a message names something that the program does."""
    said = {word.lower() for word in re.findall(r"\w+|<<|>>|\+", message)}
    said |= {part for word in said for part in word.split("_")}
    return not said.isdisjoint(words_of(program)) or bool(re.search(r"argument '\w+'", message))


def advises(message: str) -> bool:
    """Whether a message says more than what happened: a second sentence, or what follows a colon."""
    return len([part for part in re.split(r"[.:;,?]\s+|\n", message.strip()) if len(part) > 2]) > 1


def is_told(program: str, message: str) -> bool:
    """Whether the message of an error is about its program, and helps.

    >>> is_told("tf.reshape(x, [4])", "[4] holds 4 values, not 6. In reshape of float32 of shape (2, 3).")
    True
    >>> is_told("tf.reshape(x, [4])", "Bad input."), is_told("tf.reshape(x, [4])", "Bad reshape")
    (False, False)
    """
    own = message and any(message.strip("'") in line for line in program.splitlines())  # which the program raises
    of_python = any(each in message for each in _PYTHONS)
    return bool(own) or of_python or (names(program, message) and advises(message))
