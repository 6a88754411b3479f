"""Compiled functions that stay compiled: results and gradients are those without a recording, bit by bit."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.diagnosis.wording.opened import IS_COMPUTED_AGAIN, IS_UNOPENED, compiled
from tapeviz.events import (
    BackwardFinished,
    EventLog,
    GraphTraced,
    NodeTraced,
    OpRecorded,
    StateWritten,
    VjpApplied,
)
from tapeviz.phrases import COMPILED, COMPUTED_AGAIN
from tests.sampling import sample

torch = pytest.importorskip("torch")

from tapeviz.recorders.torch.compiled import calls  # noqa: E402
from tapeviz.recorders.torch.compiled.compiler import ASKS  # noqa: E402
from tests.recorders.torch.compiled_programs import HEALTHY  # noqa: E402
from tests.recorders.torch.compiled_trainings import ALL, alone, equal, placed, recorded  # noqa: E402

pytestmark = [pytest.mark.torch, pytest.mark.slow]
BACKENDS = {"aot_eager": 8, "inductor": 2}
"""How many models are tried with each."""


@pytest.fixture(autouse=True)
def _anew() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def _cases() -> list[Any]:
    return [
        pytest.param(name, backend, id=f"{backend}-{name}")
        for backend, most in BACKENDS.items()
        for name in sample(ALL, most, lambda each, backend=backend: f"{backend} {each}")
    ]


def _require(backend: str) -> None:
    if backend == "inductor" and shutil.which("g++") is None:
        pytest.skip("inductor needs a C++ compiler, and there is no g++")


@pytest.mark.parametrize(("name", "backend"), _cases())
@pytest.mark.parametrize("before", [0, 1])
def test_a_recording_changes_nothing_of_what_is_compiled(name: str, backend: str, before: int) -> None:
    _require(backend)
    unrecorded = alone(ALL[name], backend)
    expected, compilations = unrecorded.numbers, unrecorded.compilations
    trained, log = recorded(ALL[name], backend, before)
    assert len(trained.numbers) == len(expected)
    assert all(map(equal, trained.numbers, expected))
    assert trained.compilations == compilations
    assert any(each.name.endswith(COMPUTED_AGAIN) for each in log.scopes)
    assert not [each for each in _ops(log) if each.endswith(COMPILED)]
    if name in HEALTHY:
        assert not tv.diagnose(log), tv.diagnose(log)


@pytest.mark.parametrize("name", sample(ALL, 8, lambda each: f"nodes of {each}"))
def test_nearly_every_node_on_the_way_back_is_at_a_forward_op_and_at_a_line(name: str) -> None:
    _, log = recorded(ALL[name], "aot_eager")
    found, there = placed(log)
    assert found >= 0.95 * there > 0
    back = [each for each in log.of_kind(NodeTraced).values() if each.part == "backward"]
    places = {each.filename.rpartition("/")[2] for each in (log.sites[node.site] for node in back if node.site)}
    assert places <= {"compiled_programs.py", "container.py"}, places


def _ops(log: EventLog) -> list[str]:
    return [each.op for each in log.events if type(each) is OpRecorded]


def _graphs(log: EventLog) -> list[GraphTraced]:
    return list(log.of_kind(GraphTraced).values())


def _compiled(function: Any, **options: Any) -> Any:
    return torch.compile(function, backend="aot_eager", **options)


def _cubed(x: Any) -> Any:
    y = x.sin()
    return (y**3).sum()


def test_the_inside_is_known_line_by_line_and_kept_in_a_file(tmp_path: Path) -> None:
    x = torch.ones(3, requires_grad=True)
    with tv.record(functions="graph") as log:
        _compiled(_cubed)(x).backward()
    tv.save(log, tmp_path / "log")
    assert list(tv.load(tmp_path / "log").events) == list(log.events)
    for each in (log, tv.load(tmp_path / "log")):
        nodes = list(each.of_kind(NodeTraced).values())
        forward = [(node.op, each.sites[node.site].text) for node in nodes if node.part == "forward"]
        assert forward == [
            ("sin", "y = x.sin()"),
            ("pow", "return (y**3).sum()"),
            ("reduce_sum", "return (y**3).sum()"),
        ]
        back = {forward[node.of][0] for node in nodes if node.part == "backward"}
        assert back == {"sin", "pow", "reduce_sum"}
        ops = [event for event in each.events if type(event) is OpRecorded]
        assert [(op.op, each.sites[op.site].text) for op in ops] == forward
        assert {each.scopes[op.scope].name for op in ops} == {f"_cubed{COMPUTED_AGAIN}"}
        assert len(each.of_kind(VjpApplied)) == 3
        (graph,) = _graphs(each)
        assert (graph.recompilations, graph.unknown) == (0, "")
        assert float(np.abs(each.value(ops[-1].outputs[0]))) == _cubed(x).item()


@pytest.mark.parametrize(
    ("backend", "before", "unknown"),
    [
        ("aot_eager", True, "compiled before the recording"),
        ("eager", False, "by a backend that does not trace it ahead of time"),
    ],
)
def test_it_is_said_why_the_inside_is_not_known(backend: str, before: bool, unknown: str) -> None:
    x = torch.ones(3, requires_grad=True)
    function = torch.compile(_cubed, backend=backend)
    if before:
        function(x)
    with tv.record(functions="graph") as log:
        function(x).backward()
    assert [each.unknown for each in _graphs(log)] == [unknown]
    assert not log.of_kind(NodeTraced)
    assert not tv.diagnose(log)


def test_breaks_and_new_compilations_are_counted() -> None:
    def broken(x: Any) -> Any:
        y = x.sin()
        torch._dynamo.graph_break()
        return y.cos().sum()

    function = _compiled(broken)
    with tv.record(functions="graph") as log:
        for size in (2, 5, 7):
            function(torch.ones(size, requires_grad=True)).backward()
    told = compiled(log)
    said = "`broken` ran compiled, and breaks into parts at 1 line, and was compiled again 2 times"
    assert told == f"{said}: {IS_COMPUTED_AGAIN}"
    assert str(tv.diagnose(log)).startswith(f"{told}.")


def test_a_whole_step_is_seen_from_its_backward_pass_to_what_the_optimizer_writes() -> None:
    def make() -> tuple[Any, Any]:
        torch._dynamo.reset()
        torch.manual_seed(0)
        model = torch.nn.Linear(3, 1)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
        x = torch.randn(5, 3)

        def step() -> Any:
            optimizer.zero_grad()
            loss = model(x).square().mean()
            loss.backward()
            optimizer.step()
            return loss

        return model, _compiled(step)

    model, step = make()
    expected = [step().item() for _ in range(3)], [each.detach().clone() for each in model.parameters()]
    model, step = make()
    with tv.record(functions="graph") as log:
        losses = [step().item() for _ in range(3)]
    assert losses == expected[0]
    assert all(map(torch.equal, model.parameters(), expected[1]))
    assert len(log.of_kind(BackwardFinished)) == 3
    assert [each.how for each in log.of_kind(StateWritten).values()] == ["step (compiled, one node)"] * 6


def test_what_compiling_makes_of_hooks_and_of_none_stays_as_it_is() -> None:
    """A hook that a module gets after it was compiled is ignored, and what a result does not read gets zeros."""

    def run() -> list[Any]:
        torch._dynamo.reset()
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(2, 2))
        function = _compiled(model)
        x, y, w = torch.ones(1, 2), torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        first = function(x).sum()
        model[0].register_forward_hook(lambda *_: torch.zeros(1, 2))
        one, _ = _compiled(lambda y, w: (y.sin().sum(), w.cos().sum()))(y, w)
        one.backward()
        return [first, function(x), y.grad, w.grad]

    expected = run()
    with tv.record(functions="graph"):
        found = run()
    assert all(map(equal, found, expected))
    assert expected[1].any()
    assert found[3] is not None


@torch.library.custom_op("tapeviz_tests::counted", mutates_args=())  # type: ignore[untyped-decorator]
def _counted(x: torch.Tensor) -> torch.Tensor:
    CALLS.append(x.shape)
    return x.sin()


_counted.register_fake(torch.empty_like)
_counted.register_autograd(lambda ctx, gradient: gradient)
CALLS: list[Any] = []


def test_zeros_in_the_place_of_none_are_found() -> None:
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    optimizer = torch.optim.AdamW([x, w], lr=0.1, weight_decay=0.5)
    function = _compiled(lambda x, w: (x.sin().sum(), w.cos().sum()))
    with tv.record() as log:
        one, _ = function(x, w)
        one.backward()
        optimizer.step()
    assert w.grad is not None
    (found,) = tv.diagnose(log)
    assert found.cause == "unused_source"
    assert found.message.startswith("`w` gets zeros in the place of None because nothing leads from `w` to `one`")


def test_what_may_have_an_effect_is_not_computed_again() -> None:
    w, x = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    function = _compiled(lambda w, x: (w.detach() * x + _counted(x)).sum())
    with tv.record(functions="graph") as log:
        loss = function(w, x)
        loss.backward()
    assert len(CALLS) == 1
    assert "The path to `w` ends inside of the compiled `<lambda>`" in str(tv.why(log, loss, w))
    assert 'tv.record(functions="eager")' in str(tv.why(log, loss, w))
    assert str(tv.why(log, loss, x)).startswith(f"`<lambda>` ran compiled: {IS_UNOPENED}. ")


def test_where_the_inside_gives_other_numbers_it_is_not_told() -> None:
    """A backend that computes something else: what it gives is what the log has."""

    def backend(module: Any, inputs: Any) -> Any:
        def off(*args: Any) -> Any:
            return tuple([each + 1.0 for each in module(*args)])

        off.zero_grad = module.zero_grad  # type: ignore[attr-defined]
        return off

    x = torch.ones(2, requires_grad=True)
    with tv.record(functions="graph") as log:
        found = torch.compile(lambda x: x * 2.0, backend=backend)(x)
    assert _ops(log) == ["<lambda> (compiled, one node)"]
    assert log.value(log.id_of(found)).tolist() == [3.0, 3.0]


def test_random_numbers_and_what_is_written_are_those_of_the_program() -> None:
    def run() -> list[Any]:
        torch._dynamo.reset()
        torch.manual_seed(0)
        norm, data = torch.nn.BatchNorm1d(3), torch.randn(4, 3)

        def function(x: Any) -> Any:
            data.data.mul_(2.0)
            return torch.dropout(norm(x) * data, 0.5, train=True)

        function = _compiled(function)
        return [*(function(torch.randn(4, 3)) for _ in range(3)), torch.rand(1), data, *norm.buffers()]

    expected = run()
    with tv.record(functions="graph") as log:
        found = run()
    assert all(map(equal, found, expected))
    assert not [each for each in _ops(log) if each.endswith(COMPILED)]


@pytest.mark.parametrize("kind", ["forward_hook", "forward_pre_hook", "full_backward_hook", "full_backward_pre_hook"])
@pytest.mark.parametrize("is_late", [True, False])
def test_a_hook_that_comes_too_late_is_named(kind: str, is_late: bool) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh())
    function = _compiled(model)

    def register() -> None:
        getattr(model[0], f"register_{kind}")(lambda *_: None)

    with tv.record(functions="graph") as log:
        if not is_late:
            register()
        function(torch.ones(1, 2)).sum().backward()
        if is_late:
            register()
        function(torch.ones(1, 2)).sum().backward()
    found = [each for each in tv.diagnose(log) if each.cause == "tf_function"]
    assert len(found) == is_late
    if is_late:
        called = kind.removeprefix("full_").replace("_", " ").replace("pre hook", "pre-hook")
        assert f"`Sequential.0` got a {called} after `Sequential` was compiled" in found[0].message


class _Tripled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 3.0

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return gradient * 3.0


def _without_own_gradients(module: Any, inputs: Any) -> Any:
    """A backend that takes what a function with its own gradient computes for ops like any others."""
    for node in list(module.graph.nodes):
        if getattr(node.target, "__name__", "") == "autograd_function_apply":
            body = getattr(module, node.args[0].target).graph
            for each in list(body.nodes):
                if each.target is torch._C._set_grad_enabled:
                    body.erase_node(each)
            places = dict(zip([each for each in body.nodes if each.op == "placeholder"], node.args[2:], strict=False))
            with module.graph.inserting_before(node):
                results, _ = module.graph.graph_copy(body, places)
            for user in list(node.users):
                user.replace_all_uses_with(results[user.args[1]])
                module.graph.erase_node(user)
            module.graph.erase_node(node)
    module.recompile()
    return module


@pytest.mark.parametrize("backend", ["aot_eager", _without_own_gradients])
def test_a_gradient_of_the_programs_that_is_not_used_is_named(backend: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    with tv.record(functions="graph") as log:
        torch.compile(lambda x: _Tripled.apply(x).sum(), backend=backend)(x).backward()
    found = [each.message for each in tv.diagnose(log)]
    assert len(found) == (backend is _without_own_gradients)
    assert all("the gradient function of `_Tripled`" in each for each in found)


def test_a_failure_and_an_interrupt_leave_nothing_behind() -> None:
    def stopping(x: Any) -> Any:
        y = x * 2.0
        torch._dynamo.graph_break()
        raise KeyboardInterrupt if y.shape[0] == 2 else ArithmeticError

    places = (torch.nn.Module, "_call_impl"), (torch.autograd, "_engine_run_backward"), (torch._dynamo.eval_frame, ASKS)
    before = [getattr(*each) for each in places]
    for size, error in ((2, KeyboardInterrupt), (3, ArithmeticError)):
        with suppress(error), tv.record(functions="graph") as log:
            (torch.ones(1, requires_grad=True) * 2.0).sum().backward()
            _compiled(stopping)(torch.ones(size, requires_grad=True))
            pytest.fail("it was to be left by an exception")
        assert _ops(log)[:2] == ["mul", "reduce_sum"]
        assert [getattr(*each) for each in places] == before
        assert torch._C._len_torch_function_stack() == 0


def test_after_an_error_in_a_compiled_function_the_recording_goes_on() -> None:
    x = torch.ones(2, requires_grad=True)
    with tv.record(functions="graph") as log:
        with pytest.raises(Exception, match="size"):
            _compiled(lambda x: x + torch.ones(3))(x)
        (x * 2.0).sum().backward()
    assert _ops(log) == ["mul", "reduce_sum"]


class _Passing(torch.overrides.TorchFunctionMode):  # type: ignore[name-defined]
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def test_a_mode_of_the_programs_stays_above_the_recorders() -> None:
    x = torch.ones(2, requires_grad=True)
    function = _compiled(_cubed)
    with tv.record(functions="graph") as log:
        with _Passing():
            function(x).backward()
            assert torch._C._len_torch_function_stack() == 2
        (x * 2.0).sum().backward()
    assert _ops(log)[-2:] == ["mul", "reduce_sum"]


def test_another_thread_compiles_undisturbed() -> None:
    found: list[Any] = []

    def work() -> None:
        model = torch.nn.Linear(2, 2)
        _compiled(model)(torch.ones(1, 2)).sum().backward()
        found.append(model.weight.grad)

    with tv.record(functions="graph") as log:
        thread = Thread(target=work)
        thread.start()
        thread.join()
        (torch.ones(2, requires_grad=True) * 2.0).sum().backward()
    assert torch.equal(found[0], torch.ones(2, 2))
    assert _ops(log) == ["mul", "reduce_sum"]


def test_a_compiler_without_what_is_needed_has_its_functions_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "can_stay_compiled", lambda: False)
    x = torch.ones(2, requires_grad=True)
    with tv.record(functions="graph") as log:
        _compiled(_cubed)(x).backward()
    assert _ops(log) == ["sin", "pow", "reduce_sum"]
