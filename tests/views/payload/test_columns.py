"""Values by columns: nothing is lost, in Python nor in JavaScript."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tapeviz.views.frontend
from tapeviz.views.payload import payload
from tapeviz.views.payload.columns import pack, unpack
from tests.views.samples import LOGS

MODULE = Path(tapeviz.views.frontend.__file__).with_name("columns.js")
DRIVER = """
const { unpack } = await import(process.argv[1]);
let text = "";
for await (const chunk of process.stdin) text += chunk;
console.log(JSON.stringify(JSON.parse(text).map(unpack)));
"""
ODD = [
    None,
    [],
    {},
    [None, {}, {"1": 2}],
    [[], None, [1, 2]],
    [{"a": 1, "b": [{"c": "x"}]}, None, {"a": 2, "b": []}],
    [True, True],
    [True, 1, 1.5, "1"],
    [3, 3, 3],
    [None] * 20 + [True] * 20 + [None] * 30,
    ["a"] * 30 + ["b"] * 30,
    [1] * 20 + [2] * 20 + [None, 3] + [2] * 30,
    [1] * 20 + [True] * 20,
    [1_000_001, 1_000_002, 1_000_007],
    ["same", None, "same", ""],
    [{"a": 1}, {"b": 1}],
    [[1], {"a": 1}, 1, "1", {}],
    {"7": {"a": None}, "9": {"a": "NaN"}},
]
SCALARS = st.none() | st.booleans() | st.integers(-9, 1 << 40) | st.floats(allow_nan=False) | st.text(max_size=3)


def columns(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Lists, objects by number, and lists of records with the same keys."""
    records = st.lists(st.sampled_from("abc"), min_size=1, unique=True).flatmap(
        lambda keys: st.lists(st.none() | st.fixed_dictionaries(dict.fromkeys(keys, SCALARS)))
    )
    return st.lists(inner, max_size=3).map(lambda each: [each]) | records


@given(st.recursive(st.lists(SCALARS), columns, max_leaves=8))
def test_what_was_packed_comes_back(value: Any) -> None:
    assert unpack(pack(value)) == value


@pytest.mark.parametrize("value", ODD, ids=map(str, range(len(ODD))))
def test_odd_values_come_back(value: Any) -> None:
    assert unpack(json.loads(json.dumps(pack(value)))) == value


def keys_of_null(value: Any) -> list[str]:
    """The keys of objects that have null, anywhere in a JSON value."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    own = [key for key, each in value.items() if each is None] if isinstance(value, dict) else []
    return own + [key for each in inner for key in keys_of_null(each)]


@pytest.mark.parametrize("name", LOGS)
def test_no_key_of_what_is_sent_has_null(name: str) -> None:
    """On its way from a Python in a browser such a key is lost."""
    assert keys_of_null(pack(payload(LOGS[name]()))) == []


@pytest.mark.node
def test_javascript_reads_the_same() -> None:
    values = [*ODD, *(payload(log()) for log in LOGS.values())]
    sent = json.dumps([pack(value) for value in values])
    command = ["node", "--input-type=module", "-e", DRIVER, MODULE.as_uri()]
    done = subprocess.run(command, input=sent, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for value, theirs in zip(values, json.loads(done.stdout), strict=True):
        assert json.loads(json.dumps(value)) == theirs
