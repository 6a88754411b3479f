"""Sources that Python or its readers could choke on: a syntax tree that can be gone through, or none."""

from __future__ import annotations

import ast
from concurrent.futures import ThreadPoolExecutor

import pytest

from tapeviz.source.parsing import DEEPEST, parse, parse_expression

DEEP = {
    "signs": "-" * 5_000 + "x",
    "sums": "+".join(["x"] * 5_000),
    "attributes": "x" + ".a" * 5_000,
    "calls": "f(" * 80 + "x" + ")" * 80,
    "subscripts": "x" + "[0]" * 5_000,
    "lambdas": "lambda: " * 90 + "x",
}


@pytest.mark.parametrize(
    "source", ["x = (", "x = 1 +", "\0", "x\0", "if x", "    x\n  y", "\ud800", "(" * 1_000, "é = ’"]
)
def test_what_is_no_python_has_no_tree(source: str) -> None:
    assert parse(source) is None
    assert parse_expression(source) is None


@pytest.mark.parametrize("name", DEEP)
def test_what_nests_too_deeply_is_left_out_at_its_place(name: str) -> None:
    tree = parse(f"y = {DEEP[name]}\nz = w")
    if tree is None:
        pytest.skip("Python's own parser goes no deeper, and how deep that is depends on its version")
    assert ast.unparse(tree).splitlines()[-1] == "z = w"
    first = tree.body[0]
    assert isinstance(first, ast.Assign)
    assert (first.value.lineno, first.value.col_offset) == (1, 4)
    assert _depth(tree) <= DEEPEST + 3


def test_at_least_the_long_sum_is_parsed_and_left_out() -> None:
    tree = parse(f"y = {'+'.join(['x'] * 400)}")
    assert tree is not None
    assert ast.unparse(tree) == "y = ..."


def test_what_is_deep_within_a_block_is_left_out_there() -> None:
    tree = parse(f"def f(x):\n    if x:\n        return g({'-' * 200}x)\n    return x")
    assert tree is not None
    assert ast.unparse(tree).splitlines() == ["def f(x):", "    if x:", "        return ...", "    return x"]


def test_several_threads_parse_at_once() -> None:
    source = f"y = {'(' * 90}x{')' * 90}"
    with ThreadPoolExecutor(8) as threads:
        trees = list(threads.map(parse, [source] * 200))
    assert all(each is not None and ast.unparse(each) == "y = x" for each in trees)


def _depth(tree: ast.AST) -> int:
    level, depth = [tree], 0
    while level:
        level, depth = [child for node in level for child in ast.iter_child_nodes(node)], depth + 1
    return depth
