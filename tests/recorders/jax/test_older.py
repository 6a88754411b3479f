"""How older versions of JAX tell what they trace, pretended by this one: it is read all the same."""

from __future__ import annotations

from contextlib import nullcontext
from types import CodeType, SimpleNamespace
from typing import Any

import pytest

jax = pytest.importorskip("jax")
from tapeviz.recorders.jax import places  # noqa: E402  # they import JAX
from tapeviz.recorders.jax.equation_function import EquationFunction  # noqa: E402

pytestmark = pytest.mark.jax


def code(name: str, filename: str) -> CodeType:
    return compile("", filename, "exec").replace(co_name=name)


def test_a_stack_ends_where_the_function_was_traced() -> None:
    library = jax.__file__
    traced, lowered, caller = code("loss", "users.py"), code("trace_to_jaxpr", "users.py"), code("train", "users.py")
    frames = [code("bind", library), traced, lowered, code("trace_to_jaxpr_dynamic", library), caller]
    traceback = SimpleNamespace(raw_frames=lambda: (frames, range(len(frames))))
    equation: Any = SimpleNamespace(source_info=SimpleNamespace(traceback=traceback))
    assert places._users_frames(equation) == [(lowered, 2, False), (traced, 1, False)]


@pytest.mark.parametrize("apart", [False, True])
def test_the_functions_that_a_primitive_calls_may_come_apart(apart: bool) -> None:
    functions, others = ("primal", "tangent"), {"size": 3}
    primitive = SimpleNamespace(
        multiple_results=True,
        get_bind_params=lambda params: (functions, params) if apart else {"subfuns": functions, **params},
        bind=lambda *given, **params: [given, params],
    )
    equation: Any = SimpleNamespace(primitive=primitive, params=others, ctx=SimpleNamespace(manager=nullcontext()))
    given, params = EquationFunction(equation, [1, 0])("second", "first")
    assert (*params.pop("subfuns", ()), *given) == (*functions, "first", "second")
    assert params == others
