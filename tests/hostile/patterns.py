"""The sources of tapeviz -> every regular expression in them, how it is used, and how its work grows with a line.

What grows is told by a ratio: ten times the line may take ten times the time, however long that is on this machine.
"""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from importlib import import_module
from itertools import pairwise, product
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import tapeviz
from tapeviz.views.frontend.minified import tokens
from tests.views.javascript import FRONTEND, in_javascript

PACKAGE = Path(tapeviz.__file__).parent
METHODS = ("match", "fullmatch", "search", "sub", "split", "findall", "finditer")
LENGTHS = (1_000, 10_000, 100_000)
STEEPEST = 40
"""By how much the time may grow from one length to the next, ten times as long: 10 where it is linear, 100 where it is
quadratic."""
SEARCHED = 300
"""Characters of the lines among which the worst is found."""
LEAST = 2e-3
"""Seconds that are measured; a shorter call is repeated."""
TIMES = 3
"""How often a length is measured, of which the least counts: what else the machine does adds to the others."""


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


Timed: TypeAlias = Callable[[Sequence[str], float], list[float]]
"""Lines -> the seconds that a use takes for each. A call that takes less than the number given is repeated."""


class Use(NamedTuple):
    """A regular expression, and what is done with it."""

    told: str
    timed: Timed


def uses() -> list[Use]:
    """Every use of a regular expression of tapeviz's, in Python and in the front end."""
    return [*(in_python(each, method) for each in patterns() for method in each.methods), *_in_javascript()]


def in_python(pattern: Pattern, method: str) -> Use:
    """One method of a pattern of Python's."""
    compiled = re.compile(pattern.pattern, pattern.flags)
    call: Callable[[str], Any] = getattr(compiled, method)
    if method == "sub":
        call = partial(compiled.sub, "")
    elif method == "finditer":
        call = compiled.findall
    told = f"{pattern.where}: {method} of {pattern.pattern!r}"
    return Use(told, lambda lines, least: [_seconds(call, line, least) for line in lines])


def _seconds(call: Callable[[str], Any], line: str, least: float) -> float:
    """What one call takes, of as many as can be measured."""
    count, took = 0, 0.0
    started = time.thread_time()
    while not count or took < least:
        call(line)
        count += 1
        took = time.thread_time() - started
    return took / count


def _in_javascript() -> Iterator[Use]:
    """As the front end's modules write them; whatever a module does with one is less than to find all its matches."""
    for path in sorted(FRONTEND.rglob("*.js")):
        for token in tokens(path.read_text(encoding="utf-8")):
            if token.startswith("/") and len(token) > 1:
                source, _, flags = token[1:].rpartition("/")
                yield Use(f"{path.relative_to(FRONTEND).as_posix()}: {token}", partial(in_node, source, flags))


def in_node(source: str, flags: str, lines: Sequence[str], least: float) -> list[float]:
    """The seconds that one of the front end's takes."""
    module = Path(__file__).with_suffix(".mjs")
    return in_javascript(module, "seconds", [[source, flags, line, least] for line in lines])


def worst_line(timed: Timed) -> tuple[str, str, str]:
    """The head, the pump and the tail of the line that takes longest."""
    candidates = list(product(HEADS, PUMPS, TAILS))
    for least, kept in ((0.0, 8), (LEAST, 1)):
        took = timed([made_of(parts, SEARCHED) for parts in candidates], least)
        best = sorted(range(len(candidates)), key=took.__getitem__)[-kept:]
        candidates = [candidates[each] for each in best]
    return candidates[0]


def made_of(parts: tuple[str, str, str], length: int) -> str:
    """A line of a length."""
    head, pump, tail = parts
    return head + pump * ((length - len(head) - len(tail)) // len(pump)) + tail


def steep(use: Use, lengths: Sequence[int] = LENGTHS) -> list[str]:
    """What is wrong with a use that grows faster than its worst line.

    A length that takes too long already is not made longer.
    """
    parts = worst_line(use.timed)
    for shorter, longer in pairwise(lengths):
        took = [min(use.timed([made_of(parts, length)] * TIMES, LEAST)) for length in (shorter, longer)]
        if took[1] > STEEPEST * took[0]:
            return [f"{use.told} takes {took[1] / took[0]:.0f} times as long at {longer:,} characters of {parts}"]
    return []
