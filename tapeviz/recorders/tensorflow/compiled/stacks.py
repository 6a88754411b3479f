"""The stack that TensorFlow keeps of each op of a graph -> the op's place in the program, and the scope of its calls.

It has files, lines and names of functions, in the program's own files also where AutoGraph has written them again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from types import CodeType, MappingProxyType
from typing import Any, NamedTuple

from tapeviz.events.attrs import Attrs
from tapeviz.events.catalog import WITHIN
from tapeviz.events.program.frames import PACKAGE_FILES, is_library, name_in_package
from tapeviz.events.program.scope_codes import code_called
from tapeviz.events.raw import ScopeNode
from tapeviz.recorders.lines import CALLS, Line, call_at, calls_in
from tapeviz.recorders.packages import Packages
from tapeviz.recorders.tensorflow.compiled.template import AT_THE_CALL

_TRACE = "tensorflow/python/framework/func_graph.py", "func_graph_from_py_func"
"""The function of TensorFlow's that calls the one which is traced."""
_LAYER = "keras/src/layers/layer.py"
_PARTS = frozenset((_LAYER, "keras/src/losses/loss.py", "keras/src/trainers/compile_utils.py"))
"""The files of Keras' that call a part with a name of its own, by a method of this name:"""
_CALL = "__call__"
_LOW = "tensorflow/python/"
_BRANCHES = "tensorflow/python/autograph/operators/"
"""Where AutoGraph calls what it has made of branches and bodies of loops."""
_TWICE = re.compile(r"(.+)_\d+")
"""How TensorFlow spells the scope of a layer, which Keras enters twice for each call."""
_OPERATORS = {
    "multiply": "mul",
    "add_v2": "add",
    "matmul": "matmult",
    "real_div": "truediv",
    "_slice_helper": "getitem",
}
_OPERATORS |= {"greater": "gt", "greater_equal": "ge", "less": "lt", "less_equal": "le"}
"""TensorFlow's functions -> how an expression with the operator is called that they stand for."""


class StackedCall(NamedTuple):
    """A call that was under way: the file and the line of what it runs, and the name of that function."""

    file: str
    number: int
    function: str

    @property
    def of(self) -> tuple[str, str]:
        """The file and the function."""
        return self.file, self.function

    def is_of(self, file: str, function: str) -> bool:
        """Whether it runs a function of this name in a file of an installed package."""
        return self.function == function and self.file.endswith(file)


Stack = tuple[StackedCall, ...]


class StackPlace:
    """Stands for a frame: the code and the instruction, as the records of a log have them."""

    __slots__ = ("f_code", "f_lasti")

    f_back = None
    f_locals: Mapping[str, Any] = MappingProxyType({})
    f_globals: Mapping[str, Any] = MappingProxyType({})

    def __init__(self, code: CodeType, lasti: int) -> None:
        self.f_code = code
        self.f_lasti = lasti


NOWHERE = StackPlace(AT_THE_CALL, -1)
"""In no line of the program's."""


def stack_of(op: Any) -> Stack:
    """The calls from the function that was traced to the op, the innermost last."""
    calls = [StackedCall(each.filename, each.lineno, each.name) for each in op.traceback or ()]
    calls = [each for each in calls if each.file not in PACKAGE_FILES]
    return _as_written(calls[_traced_at(calls) :])


def _as_written(calls: Sequence[StackedCall]) -> Stack:
    """The same without the functions that AutoGraph has made of branches and bodies of loops."""
    found: list[StackedCall] = []
    is_branch = False
    for each in calls:
        is_branch = is_branch or _BRANCHES in each.file
        if is_branch and not is_library(each.file):
            outer = next((at for at in reversed(range(len(found))) if not is_library(found[at].file)), None)
            if outer is not None and found[outer].of == each.of:
                del found[outer:]
            is_branch = False
        found.append(each)
    return tuple(found)


def is_low(call: StackedCall) -> bool:
    """Whether a call runs a function of TensorFlow's own, in Python."""
    return _LOW in call.file


def function_in(stack: Stack, name: str) -> str:
    """The name of a traced function in the log: with that of its package, where it is a library's."""
    own = next((each for each in stack if each.function == name), None)
    package = (name_in_package(own.file) or "").partition("/")[0] if own is not None and is_library(own.file) else ""
    return f"{package}.{name}" if package else name


def _traced_at(calls: Sequence[StackedCall]) -> int:
    return next((at + 1 for at in reversed(range(len(calls))) if calls[at].is_of(*_TRACE)), 0)


class Stacks:
    """The places and scopes of the ops of one graph, in a scope `root`: the same calls have the same scope."""

    def __init__(self, root: ScopeNode) -> None:
        self._root = root
        self._scopes: dict[tuple[Any, ...], ScopeNode] = {}
        self._packages = Packages("tensorflow", "keras")
        self._earlier: Counter[tuple[Any, ...]] = Counter()

    def place(self, stack: Stack, function: str = "") -> StackPlace:
        """The innermost line of the program's, where an op calls a function of some name, if it does."""
        at = next((at for at in reversed(range(len(stack))) if not is_library(stack[at].file)), None)
        if at is None:
            return NOWHERE
        own, below = stack[at], stack[at + 1 :]
        names = _names(below)
        places = _places(own, (function, *names) if function else names)
        earlier = self._earlier[stack[: at + 1], places]
        self._earlier[stack[: at + 1], places] += 1
        return places[earlier % len(places)]

    def scope(self, stack: Stack, name: str) -> ScopeNode:
        """The scope of an op of some name, of which the first parts are the names of layers."""
        scope, is_opened, caller = self._root, True, NOWHERE
        parts = iter(name.split("/")[:-1])
        for at, call in enumerate(stack):
            if call.function == _CALL and (name_in_package(call.file) or "") in _PARTS:
                part = _part_name(parts, is_layer=name_in_package(call.file) == _LAYER)
                if part is not None:
                    scope, is_opened = self._within(scope, code_called(part), caller), True
            elif not is_library(call.file):
                if not is_opened:
                    scope = self._within(scope, _function(call.file, call.function), caller)
                is_opened, caller = False, _places(call, _names(stack[at + 1 :]))[0]
        return scope

    def asked_by(self, stack: Stack) -> Attrs:
        """The attribute that says which package, called from the program's line, has asked for the op."""
        for call in reversed(stack):
            if not is_library(call.file):
                return ()
            if self._packages.has(call.file):
                return ((WITHIN, f"{name_in_package(call.file)}, line {call.number}"),)
        return ()

    def _within(self, outer: ScopeNode, code: CodeType, caller: StackPlace) -> ScopeNode:
        key = id(outer), id(code), caller.f_code
        if key not in self._scopes:
            self._scopes[key] = ScopeNode(outer, code, caller.f_code, caller.f_lasti)
        return self._scopes[key]


def _part_name(parts: Any, *, is_layer: bool) -> str | None:
    """The next part of an op's name that is the name of a layer, or of a loss; None if there is none left."""
    if not is_layer:
        return next(parts, None)
    found = next(filter(None, map(_TWICE.fullmatch, parts)), None)
    return found[1] if found is not None else None


def _names(inner: Stack) -> tuple[str, ...]:
    """What the calls from a line on may be called in it."""
    return tuple([_OPERATORS.get(each.function, each.function) for each in inner])


@cache
def _places(call: StackedCall, names: tuple[str, ...]) -> tuple[StackPlace, ...]:
    """The places in the line of a call where something of these names may have been called."""
    lines = calls_in(Line(call.file, call.number, call.function, 0, call.number, 0), names)
    return tuple([StackPlace(call_at(each).__code__, CALLS) for each in lines])


@cache
def _function(file: str, name: str) -> CodeType:
    """Code that stands for a function of the program's."""
    return code_called(name).replace(co_filename=file)
