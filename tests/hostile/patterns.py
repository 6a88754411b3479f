"""The sources of tapeviz -> every regular expression in them, how it is used, and how its work grows with a line.

What grows is told by a ratio: ten times the line may take ten times the time, however long that is on this machine.
"""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from itertools import pairwise, product
from pathlib import Path
from typing import Any, NamedTuple

import tapeviz

PACKAGE = Path(tapeviz.__file__).parent
METHODS = ("match", "fullmatch", "search", "sub", "split", "findall", "finditer")
LENGTHS = (1_000, 10_000, 100_000)
STEEPEST = 40
"""By how much the time may grow from one length to the next, ten times as long: 10 where it is linear, 100 where it is
quadratic."""
LEAST = 2e-3
"""Seconds that are measured; a shorter call is repeated."""


class Pattern(NamedTuple):
    """A regular expression as it is used in one place."""

    where: str
    pattern: str
    flags: int
    methods: tuple[str, ...]


def patterns() -> list[Pattern]:
    """Every regular expression of tapeviz's; those that a user hands in are none of its own."""
    return [each for path in sorted(PACKAGE.rglob("*.py")) for each in _patterns_in(path)]


def _patterns_in(path: Path) -> Iterator[Pattern]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    where = path.relative_to(PACKAGE).as_posix()
    names = {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    compiled = {id(value): name for name, value in names.items()}
    for node in ast.walk(tree):
        if not _is_of_re(node):
            continue
        method, text = node.func.attr, _text(node.args[0], where)  # type: ignore[attr-defined]
        if text is None:
            continue
        flags = _flags(node)  # type: ignore[arg-type]
        methods = _methods_of(compiled.get(id(node))) if method == "compile" else (method,)
        yield Pattern(f"{where}, line {node.lineno}", text, flags, methods)  # type: ignore[attr-defined]


def _is_of_re(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=name)):
            return name in (*METHODS, "compile")
    return False


def _text(node: ast.expr, where: str) -> str | None:
    """The pattern itself; what is put into it when it runs is a word."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(each.value if isinstance(each, ast.Constant) else _put_in(each, where) for each in parts)
    return None


def _put_in(part: ast.expr, where: str) -> str:
    """What a part of an f-string is worth: a constant of its module, or any word."""
    match part:
        case ast.FormattedValue(value=ast.Name(id=name)):
            module = import_module(f"tapeviz.{where.removesuffix('.py').replace('/', '.')}")
            return str(getattr(module, name, "word"))
    return "word"


def _flags(node: ast.Call) -> int:
    named = [each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)]
    return sum(re.RegexFlag[name] for name in named if name in re.RegexFlag.__members__)


@cache
def _uses() -> dict[str, set[str]]:
    """The methods that are called on each name that holds a compiled pattern."""
    found: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Attribute(value=ast.Name(id=name), attr=method) if method in METHODS:
                    found.setdefault(name, set()).add(method)
    return found


def _methods_of(name: str | None) -> tuple[str, ...]:
    """The methods of a compiled pattern that are used; without a name, all that a reader may call."""
    return tuple(sorted(_uses().get(name or "", {"search"})))


PUMPS = (
    *("a", "_", ".", "1", " ", "-", "(", "[", "{", "}", "`", "'", '"', "\\", "$", "/", "*", "#", "\n", "A", ",", "<"),
    *("a.", ".a", "a,", "a(", "(a", "()", "[a", "{a", "{a}", "`a", "a`", "_1", "1_", "1e-", "/*", "*/", "//", "\\\\"),
    *(".data", ".detach()", ".cpu()", "['a']", "tf.", "tf.a", "qq", "qqa", "<mtext>qq", "\x1b[", "\x1b[1", "aA", "Aa"),
    *('id="tapeviz-packed">', "const types = ", "import { ", "export ", "Glyph 1 ", "Backward1", "...", "->", "word"),
)
"""What a line is made of again and again, so that a pattern has as many ways to go through it as it can have."""
HEADS = ("", "a", "(", "{", "`", "'", '"', ".", "qq", "/*", "\x1b[", "<mtext>qq", "((", "√(", "__inference_")
TAILS = ("", "!", "\x00")


def call_of(pattern: Pattern, method: str) -> Callable[[str], Any]:
    """The use of a pattern, as a function of the line."""
    compiled = re.compile(pattern.pattern, pattern.flags)
    if method == "sub":
        return lambda line: compiled.sub("", line)
    if method == "finditer":
        return lambda line: list(compiled.finditer(line))
    return lambda line: getattr(compiled, method)(line)


def seconds(call: Callable[[str], Any], line: str) -> float:
    """What one call takes, of as many as can be measured."""
    count, took = 0, 0.0
    started = time.process_time()
    while took < LEAST:
        call(line)
        count += 1
        took = time.process_time() - started
    return took / count


def worst_line(call: Callable[[str], Any], length: int) -> tuple[str, str, str]:
    """The head, the pump and the tail of the line that takes longest."""

    def once(parts: tuple[str, str, str]) -> float:
        line = made_of(parts, length)
        started = time.process_time()
        call(line)
        return time.process_time() - started

    candidates = sorted(product(HEADS, PUMPS, TAILS), key=once)[-8:]
    return max(candidates, key=lambda parts: seconds(call, made_of(parts, length)))


def made_of(parts: tuple[str, str, str], length: int) -> str:
    """A line of a length."""
    head, pump, tail = parts
    return head + pump * ((length - len(head) - len(tail)) // len(pump)) + tail


def growth(call: Callable[[str], Any]) -> tuple[tuple[str, str, str], list[float]]:
    """The worst line of a use, and how many times as long it takes when that is ten times as long.

    A length that takes too long already is not made longer.
    """
    parts = worst_line(call, LENGTHS[0])
    took = [seconds(call, made_of(parts, length)) for length in LENGTHS[:2]]
    if took[1] / took[0] <= STEEPEST:
        took.append(seconds(call, made_of(parts, LENGTHS[2])))
    return parts, [later / earlier for earlier, later in pairwise(took)]


def steep(pattern: Pattern) -> list[str]:
    """The uses of a pattern that grow faster than the line."""
    told = []
    for method in pattern.methods:
        parts, ratios = growth(call_of(pattern, method))
        if max(ratios) > STEEPEST:
            told.append(f"{pattern.where}: {method} of {pattern.pattern!r} grows by {ratios} on {parts}")
    return told
