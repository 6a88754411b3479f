"""Real PyTorch programs recorded: the same numbers as without, and every gradient as PyTorch has it."""

from __future__ import annotations

import gc
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from weakref import ref

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.events import (
    BackwardFinished,
    EventLog,
    GradientCleared,
    GradientStored,
    LeafCreated,
    OpRecorded,
    OpSkipped,
    StateWritten,
)
from tapeviz.replay import Run, runs
from tests.recorders.frameworks import torch_state
from tests.recorders.torch.programs import PROGRAMS, Named, Program

torch = pytest.importorskip("torch")
from tapeviz.recorders.torch.backward.saved import saved_by  # noqa: E402  # it imports PyTorch

pytestmark = pytest.mark.torch


def run(program: Program) -> tuple[Named, Any]:
    """Run a program and its backward pass; every tensor that can have a gradient gets one."""
    torch.manual_seed(0)
    named, loss = program(torch)
    for tensor in named.values():
        if tensor.requires_grad and not tensor.is_leaf:
            tensor.retain_grad()
    loss.backward()
    return named, loss


def arrived(log: EventLog, run: Run) -> dict[int, int]:
    """Tensor -> the gradient that arrived at it in the end."""
    last = {each.tensor: each.total for step in run.steps for each in step.contributions}
    return last | {source: g for source, g in zip(run.sources, run.gradients or (), strict=True) if g is not None}


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_results_are_the_same_bit_for_bit(name: str) -> None:
    plain, loss = run(PROGRAMS[name])
    with tv.record():
        recorded, same = run(PROGRAMS[name])
    assert torch.equal(loss, same)
    for key, tensor in plain.items():
        assert torch.equal(tensor, recorded[key]), key
        assert (tensor.grad is None) == (recorded[key].grad is None), key
        assert tensor.grad is None or torch.equal(tensor.grad, recorded[key].grad), key


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_every_gradient_in_the_log_is_pytorchs(name: str) -> None:
    with tv.record() as log:
        named, loss = run(PROGRAMS[name])
    (backward,) = runs(log)
    gradients = arrived(log, backward)
    for key, tensor in named.items():
        if tensor.grad is not None and id(tensor) != id(loss):
            found = log.value(gradients[log.id_of(tensor)])
            assert found is not None, key
            np.testing.assert_array_equal(found, tensor.grad.numpy(), err_msg=key)


def view_and_base_changed_by_the_view() -> None:
    h = torch.randn(4, requires_grad=True) * 2.0
    part = h[1:3]
    part += 1.0
    ((h * h).sum() + (part * part).sum()).backward()


def cells_whose_state_is_used_twice() -> None:
    cell, (h, c) = torch.nn.LSTMCell(2, 2), (torch.zeros(1, 2), torch.zeros(1, 2))
    for _ in range(3):
        h, c = cell(torch.ones(1, 2), (h, c))
        h = h + c.tanh() * c
    h.sum().backward()


ALONE = {each.__name__: each for each in (view_and_base_changed_by_the_view, cells_whose_state_is_used_twice)}


@pytest.mark.parametrize("name", sorted([*PROGRAMS, *ALONE]))
def test_every_sum_is_of_what_arrived(name: str) -> None:
    with tv.record() as log:
        ALONE[name]() if name in ALONE else PROGRAMS[name](torch)[1].backward()
    (backward,) = runs(log)
    assert backward.gradients is not None
    hooked = "hook" in name  # what a hook makes of a sum is no sum
    parts: dict[int, list[Any]] = {}
    for part in (part for step in backward.steps for part in step.contributions):
        parts.setdefault(part.tensor, []).append(log.value(part.cotangent))
        total = log.value(part.total)
        if total is not None and part.final and not hooked:
            np.testing.assert_allclose(sum(parts[part.tensor]), total, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_values_are_those_of_the_program(name: str) -> None:
    with tv.record() as log:
        named, loss = run(PROGRAMS[name])
    for key, tensor in (*named.items(), ("loss", loss)):
        np.testing.assert_array_equal(log.value(log.id_of(tensor)), tensor.detach().numpy(), err_msg=key)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_every_verb_takes_the_log(name: str, tmp_path: Any) -> None:
    with tv.record() as log:
        run(PROGRAMS[name])
    assert log.framework == "torch"
    assert not [finding for finding in tv.diagnose(log) if finding.severity != "hint"]
    tv.draw(log, tmp_path / "picture.svg")
    tv.save_html(log, tmp_path / "page.html")
    assert "text/html" in log._repr_mimebundle_()


def fails_in_a_step() -> None:
    net = torch.nn.Linear(2, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    net(torch.ones(1, 2)).sum().backward()
    opt.param_groups[0]["lr"] = "not a number"
    opt.step()


def fails_in_a_module() -> None:
    torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(2, 1))(torch.ones(1, 2))


def is_interrupted() -> None:
    torch.ones(2).requires_grad_()
    raise KeyboardInterrupt


@pytest.mark.parametrize("program", [fails_in_a_step, fails_in_a_module, is_interrupted])
def test_pytorch_is_as_it_was_afterwards(program: Any) -> None:
    before = torch_state(torch)
    with pytest.raises((TypeError, RuntimeError, KeyboardInterrupt)), tv.record() as log:
        program()
    assert torch_state(torch) == before
    assert log.events


def test_recording_goes_on_after_a_step_that_failed() -> None:
    with tv.record() as log:
        with pytest.raises(TypeError):
            fails_in_a_step()
        w = torch.nn.Parameter(torch.ones(2))
        torch.nn.Identity()(w)
        (w * 3.0).sum().backward()
    assert log.value(log.tensors[log.id_of(w)].id) is not None
    assert len(runs(log)) == 2


@pytest.mark.filterwarnings("ignore:Using backward")
def test_a_gradient_of_a_gradient_that_backward_left_is_read_without_values() -> None:
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    ones = torch.ones(2)
    with tv.record(values="none") as log:
        (x**4).backward(ones, create_graph=True)
        torch.autograd.grad(x.grad, x, ones)
    *_, found = log.of_kind(BackwardFinished).values()
    assert [log.tensors[each].shape for each in found.gradients] == [(2,)]


def test_each_value_of_a_variable_that_is_updated_by_hand_stays_known() -> None:
    with tv.record() as log:
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        for _ in range(3):
            with torch.no_grad():
                w.sub_(0.5)
    ops = [each for each in log.events if isinstance(each, OpSkipped)]
    assert [log.value(op.outputs[0]).tolist() for op in ops] == [[0.5, 1.5], [0.0, 1.0], [-0.5, 0.5]]
    assert log.value(log.id_of(w), len(log.events)).tolist() == [-0.5, 0.5]


def test_nothing_keeps_a_graph_alive() -> None:
    with tv.record(values="none"):
        w = torch.ones(3, requires_grad=True)
        loss = (w * w).sum()
        seen = ref(loss)
        del loss
        assert seen() is None


def test_a_value_changed_in_place_is_never_shown_wrong() -> None:
    with tv.record() as log:
        big = torch.zeros(5000)
        seen = big + 1.0
        seen.add_(1.0)
        small = torch.zeros(2)
        small.add_(1.0)
    first = next(row.id for row in log.tensors if row.name == "seen")
    assert log.value(first) is None
    np.testing.assert_array_equal(log.value(log.id_of(small)), [1.0, 1.0])
    np.testing.assert_array_equal(log.value(log.id_of(seen))[:2], [2.0, 2.0])


def test_small_values_changed_in_place_stay_known() -> None:
    with tv.record() as log:
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        h = w * 2.0
        h += 1.0
        h[0] = 9.0
        sums = torch.zeros(2)
        torch.add(w.detach(), 1.0, out=sums)
        w.sum().backward()
        w.sum().backward()
        bias = torch.ones(2)
        torch._foreach_mul_([w.grad, bias], 0.5)
    ops = [each for each in log.events if isinstance(each, (OpRecorded, OpSkipped))]
    assert [(op.op, [log.value(each).tolist() for each in op.outputs]) for op in ops] == [
        ("mul", [[2.0, 4.0]]),
        ("add", [[3.0, 5.0]]),
        ("setitem", [[9.0, 5.0]]),
        ("stop_gradient", [[1.0, 2.0]]),
        ("add", [[2.0, 3.0]]),
        ("reduce_sum", [3.0]),
        ("reduce_sum", [3.0]),
        ("_foreach_mul", [[1.0, 1.0], [0.5, 0.5]]),
    ]
    assert ops[4].inputs[0] == ops[3].outputs[0]
    stored = [log.value(each.gradient).tolist() for each in log.events if isinstance(each, GradientStored)]
    assert stored == [[1.0, 1.0], [2.0, 2.0]]
    assert [log.tensors[each].name for each in ops[-1].outputs] == [None, "bias"]


def test_the_fused_layer_stays_fused() -> None:
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    x = torch.randn(2, 3, 8)
    with torch.no_grad():
        plain = layer(x)
        with tv.record() as log:
            recorded = layer(x)
    assert torch.equal(plain, recorded)
    assert "_transformer_encoder_layer_fwd" in " ".join(getattr(each, "op", "") for each in log.events)


def test_second_derivative_is_connected() -> None:
    with tv.record() as log:
        x = torch.tensor(2.0, requires_grad=True)
        y = x**3
        (slope,) = torch.autograd.grad(y, x, create_graph=True)
        (curve,) = torch.autograd.grad(slope, x)
    assert curve.item() == 12.0
    first, second = runs(log)
    assert log.value(first.gradient(log.id_of(x))) == 12.0
    assert log.value(second.gradient(log.id_of(x))) == 12.0
    assert log.id_of(slope) in second.targets


def test_a_graph_made_before_is_met() -> None:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    h = torch.exp(w * 2.0)
    with tv.record() as log:
        (h * 3.0).sum().backward()
    (run,) = runs(log)
    np.testing.assert_array_equal(log.value(run.gradient(log.id_of(w))), w.grad.numpy())
    assert [each.op for each in log.events if hasattr(each, "saved")][:2] == ["mul", "exp"]


@pytest.mark.parametrize("passes", [1, 2])
def test_what_a_reentrant_checkpoint_leaves_in_its_parameters_is_stored(passes: int) -> None:
    from torch.utils.checkpoint import checkpoint

    layer, other = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)
    other(torch.ones(3)).sum().backward()
    x = torch.ones(2, 3, requires_grad=True)
    with tv.record() as log:
        log.bind(other.weight, "other")
        for _ in range(passes):
            checkpoint(lambda t: torch.tanh(layer(t)), x, use_reentrant=True).sum().backward()
    stored = [
        each for each in log.events if isinstance(each, GradientStored) and each.tensor == log.id_of(layer.weight)
    ]
    assert [(each.run, each.accumulated) for each in stored] == [(number, number > 0) for number in range(passes)]
    np.testing.assert_array_equal(log.value(stored[-1].gradient), layer.weight.grad.numpy())
    known = {each.tensor for each in log.events if isinstance(each, GradientStored)}
    assert len(known) == 3  # x, and the layer's weight and bias


def test_six_transformer_blocks(tmp_path: Any) -> None:
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
    net = torch.nn.TransformerEncoder(layer, 6, enable_nested_tensor=False)
    with tv.record() as log:
        net(torch.randn(2, 5, 16)).square().mean().backward()
    (run,) = runs(log)
    for name, parameter in net.named_parameters():
        row = log.tensors[log.id_of(parameter)]
        assert row.name == f"net.{name}"
        assert log.id_of(name) == row.id  # as `named_parameters` calls it, it is found all the same
        np.testing.assert_array_equal(log.value(run.gradient(row.id)), parameter.grad.numpy())
    names = {scope.name for scope in log.scopes}
    assert {f"layers.{block}" for block in range(6)} <= names
    tv.draw(log, tmp_path / "folded.svg")


def test_modules_of_pytorchs_own_classes_go_by_the_users_names_for_them() -> None:
    """`weight` says little where a program has an encoder and a head; `Sequential` says nothing of either."""
    encoder = torch.nn.LSTM(3, 4)
    head = torch.nn.Linear(4, 1)
    layers = torch.nn.Sequential(torch.nn.Linear(1, 2), torch.nn.Linear(2, 1))
    with tv.record() as log:
        output, (h, c) = encoder(torch.ones(5, 1, 3))
        layers[1](layers[0](head(output[-1]))).sum().backward()
    named = {log.tensors[log.id_of(each)].name for module in (encoder, head) for each in module.parameters()}
    assert named == {f"encoder.{name}" for name, _ in encoder.named_parameters()} | {"head.weight", "head.bias"}
    assert [log.tensors[log.id_of(each.weight)].name for each in layers] == ["layers.0.weight", "layers.1.weight"]
    assert [scope.name for scope in log.scopes][-4:] == ["encoder", "head", "layers.0", "layers.1"]
    assert {log.tensors[log.id_of(each)].name for each in (output, h, c)} == {"output", "h", "c"}


@pytest.mark.parametrize("kind", [torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN])
@pytest.mark.parametrize("packed", [False, True])
def test_the_options_of_a_recurrent_layer_have_their_own_names(kind: Any, packed: bool) -> None:
    """PyTorch has two functions of each name, one for packed sequences."""
    layer, x = kind(3, 4, num_layers=2, batch_first=True), torch.ones(2, 5, 3)
    series = torch.nn.utils.rnn.pack_padded_sequence(x, torch.tensor([5, 3]), batch_first=True) if packed else x
    with tv.record() as log:
        layer(series)
    [op] = [each for each in log.events if isinstance(each, OpRecorded) and each.op in ("lstm", "gru", "rnn_tanh")]
    told = {"has_biases": True, "num_layers": 2, "dropout": 0.0, "training": True, "bidirectional": False}
    assert dict(op.attrs) == (told if packed else told | {"batch_first": True})


def test_a_target_is_named_after_the_part_of_an_output_that_it_is(tmp_path: Path) -> None:
    """The ops of an installed package have the line of its call: what the last one gives seems to be all it gives."""
    package = tmp_path / "site-packages" / "package.py"
    names: dict[str, Any] = {"SimpleNamespace": SimpleNamespace}
    exec(compile("def model(w):\n    return SimpleNamespace(loss=(w * w).sum())", str(package), "exec"), names)
    model, w = names["model"], torch.ones(3, requires_grad=True)
    with tv.record() as log:
        out = model(w)
        out.loss.backward()
    assert log.tensors[log.id_of(out.loss)].name == "out.loss"
    lines = {log.sites[event.site].text for event in log.events if isinstance(event, OpRecorded)}
    assert lines == {"out = model(w)"}


def test_a_slice_of_a_list_of_modules_renames_none() -> None:
    class Stack(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = torch.nn.ModuleList(torch.nn.Linear(2, 2) for _ in range(3))

        def forward(self, x: Any) -> Any:
            for layer in self.layers[1:]:
                x = layer(x)
            return x

    model = Stack()
    with tv.record() as log:
        model(torch.ones(2)).sum().backward()
    assert [log.tensors[log.id_of(each.weight)].name for each in model.layers[1:]] == [
        "layers.1.weight",
        "layers.2.weight",
    ]


def test_a_module_of_the_users_own_class_goes_by_its_class() -> None:
    class Scale(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.factor = torch.nn.Parameter(torch.ones(2))

        def forward(self, x: Any) -> Any:
            return x * self.factor

    model = Scale()
    with tv.record() as log:
        model(torch.ones(2)).sum().backward()
    assert log.tensors[log.id_of(model.factor)].name == "factor"
    assert log.scopes[-1].name == "Scale"


def test_an_own_function_on_a_tensor_made_before() -> None:
    class Clamped(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x.sin()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return (g * x).clamp(-1, 1)

    x = torch.tensor([3.0, 0.5], requires_grad=True)
    with tv.record() as log:
        y = Clamped.apply(x)
        y.sum().backward()
    own, total = [each for each in log.events if isinstance(each, (OpRecorded, OpSkipped))]
    assert (own.op, own.inputs, own.saved, total.op) == ("Clamped", (log.id_of(x),), (0,), "reduce_sum")
    row = log.tensors[log.id_of(x)]
    assert (row.role, row.dtype, log.value(row.id).tolist()) == ("variable", "float32", [3.0, 0.5])


def test_what_an_op_saves_is_told_apart_from_its_numbers() -> None:
    x, w, v = (torch.full(shape, 3.0, requires_grad=True) for shape in ((), (2, 3), (4, 3)))
    with tv.record():  # the first tensors of an op, which the others go by, may have no elements
        torch.zeros(0, requires_grad=True) ** 2.0
    with tv.record() as log:
        power = 2.0**x
        results = x**2.0, torch.nn.functional.linear(v, weight=w), x * 2.0
    assert all(each.requires_grad for each in results)
    saved = {each.op: each.saved for each in log.events if isinstance(each, OpRecorded)}
    x_id, w_id, v_id = map(log.id_of, (x, w, v))
    assert saved == {"rpow": (x_id, log.id_of(power)), "pow": (x_id,), "linear": (v_id, w_id), "mul": ()}


def test_a_recorder_keeps_no_function_of_the_users_alive() -> None:
    class Doubled(torch.autograd.Function):
        forward = staticmethod(lambda ctx, x: x * 2.0)
        backward = staticmethod(lambda ctx, g: g * 2.0)

    alive = ref(Doubled)
    with tv.record() as log:
        Doubled.apply(torch.ones(2, requires_grad=True)).sum().backward()
    assert len(log.events) > 0
    del Doubled, log
    gc.collect()
    assert alive() is None


def test_what_is_made_like_another_tensor_to_learn_is_a_leaf_of_its_own() -> None:
    x = torch.ones(2, 3)
    with tv.record() as log:
        made = torch.zeros_like(x, requires_grad=True)
        (x + made).sum().backward()
    (leaf,) = (each for each in log.events if isinstance(each, LeafCreated) and each.kind == "variable")
    assert (leaf.tensor, leaf.parents) == (log.id_of(made), ())


def test_what_one_lookup_keeps_is_not_said_of_another_with_fewer_indices() -> None:
    x, rows = torch.ones(3, 2, requires_grad=True), torch.tensor([0, 1])
    for read in (lambda: x[rows, rows], lambda: x[0, rows], lambda: x[0, 1]):
        with tv.record() as log:
            read()
        (found,) = (each for each in log.events if isinstance(each, OpRecorded))
        assert set(found.saved) <= {*found.inputs, *found.outputs}


def test_an_operand_that_shares_elements_with_another_is_not_taken_for_saved() -> None:
    x, w = torch.ones(2, 3, requires_grad=True), torch.ones(2, 3, requires_grad=True)
    bias = x[0, :2]
    y = torch.nn.functional.linear(x, w, bias)
    assert saved_by(y, y.grad_fn._sequence_nr(), [x, w, bias]) == (0, 1)


def test_an_own_function_whose_forward_has_no_code_of_its_own() -> None:
    class Scaled(torch.autograd.Function):
        forward = staticmethod(partial(lambda ctx, x, by: x * by, by=2.0))
        backward = staticmethod(lambda ctx, g: g * 2.0)

    x = torch.tensor([3.0, 0.5], requires_grad=True)
    with tv.record() as log:
        Scaled.apply(x).sum().backward()
    assert [each.op for each in log.events if isinstance(each, OpRecorded)] == ["Scaled", "reduce_sum"]


def test_a_tensor_made_before_that_comes_out_as_it_went_in_is_no_op() -> None:
    w, x = torch.tensor([1.0, 2.0], requires_grad=True), torch.ones(2)
    with tv.record() as log:
        (w.contiguous() * x.to("cpu")).sum().backward()
        torch.atleast_1d(w, x)
    assert [each.op for each in log.events if isinstance(each, (OpRecorded, OpSkipped))] == ["mul", "reduce_sum"]
    row = log.tensors[log.id_of(w)]
    assert (row.role, runs(log)[0].sources) == ("variable", (row.id,))


def test_what_a_module_with_backward_hooks_gives_has_the_name_of_its_line() -> None:
    layer = torch.nn.Linear(2, 3)
    layer.register_full_backward_hook(lambda module, received, given: (received[0] * 0.5,))
    x = torch.ones(1, 2, requires_grad=True)
    with tv.record() as log:
        out = layer(x)
        out.sum().backward()
    made = [each for each in log.events if isinstance(each, OpRecorded)]
    assert [each.op for each in made] == ["backward_hook", "linear", "backward_hook", "reduce_sum"]
    assert log.tensors[log.id_of(out)].name == "out"
    assert log.tensors[made[1].outputs[0]].name is None
    (run,) = runs(log)
    np.testing.assert_array_equal(log.value(run.gradient(log.id_of(x))), x.grad.numpy())


def test_what_hooks_do_is_in_the_scope_of_their_module() -> None:
    with tv.record() as log:
        run(PROGRAMS["modules_with_hooks"])
    ops = [each for each in log.events if isinstance(each, (OpRecorded, OpSkipped))]
    assert [(op.op, op.scope is not None and log.scopes[op.scope].name) for op in ops] == [
        ("backward_hook", "0"),
        ("linear", "0"),
        ("backward_hook", "0"),
        ("mul", "1"),
        ("linear", "1"),
        ("square", "modules_with_hooks"),
        ("reduce_mean", "modules_with_hooks"),
    ]
    (backward,) = runs(log)
    sent = {each.tensor for step in backward.steps for each in step.contributions}
    assert {output for step in backward.steps for output in log.events[step.op].outputs} <= {*backward.targets, *sent}


def test_a_gradient_penalty_is_connected_as_pytorch_has_it() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    x = torch.randn(3, 2, requires_grad=True)
    with tv.record() as log:
        score = net(x)
        (slope,) = torch.autograd.grad(score.sum(), x, create_graph=True)
        ((slope.norm(2, dim=1) - 1) ** 2).mean().backward()
    first, second = runs(log)
    assert [log.events[step.op].op for step in first.steps] == ["reduce_sum", "linear", "tanh", "linear"]
    for each in (first, second):
        reached = set(each.targets)
        for step in each.steps:
            assert reached & set(log.events[step.op].outputs)
            reached |= {sent.tensor for sent in step.contributions}
            for sent in step.contributions:
                assert log.tensors[sent.tensor].shape == log.tensors[sent.cotangent].shape
    for name, parameter in net.named_parameters():
        if parameter.grad is not None:
            found = log.value(second.gradient(log.id_of(parameter)))
            np.testing.assert_array_equal(found, parameter.grad.numpy(), err_msg=name)
    made = log.events[
        next(at for at, each in enumerate(log.events) if log.id_of(slope) in getattr(each, "outputs", ()))
    ]
    assert log.scopes[made.scope].name == "a backward pass that can be differentiated"
    np.testing.assert_array_equal(log.value(log.id_of(slope)), slope.detach().numpy())


def test_a_step_within_the_backward_pass_leaves_its_gradient_known() -> None:
    w = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    optimizer = torch.optim.SGD([w], lr=0.5)

    def update(_: Any) -> None:
        optimizer.step()
        optimizer.zero_grad()

    w.register_post_accumulate_grad_hook(update)
    with tv.record() as log:
        (w * w).sum().backward()
    assert log.value(runs(log)[0].gradient(log.id_of(w))).tolist() == [2.0, 4.0]
    assert [log.value(log.id_of(w), at).tolist() for at in (0, len(log.events))] == [[1.0, 2.0], [0.0, 0.0]]


def test_each_evaluation_of_a_closure_reads_what_the_step_had_written() -> None:
    w, seen = torch.nn.Parameter(torch.tensor([3.0, -2.0])), []
    optimizer = torch.optim.LBFGS([w], max_iter=3)

    def closure() -> Any:
        optimizer.zero_grad()
        seen.append(w.tolist())
        loss = ((w - 1.0) ** 4).sum()
        loss.backward()
        return loss

    with tv.record() as log:
        optimizer.step(closure)
    read = [at for at, each in enumerate(log.events) if getattr(each, "op", None) == "sub"]
    assert [log.value(log.id_of(w), at).tolist() for at in read] == seen
    assert len(seen) == 3


def test_a_result_made_before_is_known_with_its_value_and_its_gradient() -> None:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    h = w * 2.0
    h.retain_grad()
    with tv.record() as log:
        (h * h).sum().backward()
    assert log.value(log.id_of(h)).tolist() == [2.0, 4.0]
    assert log.value(runs(log)[0].gradient(log.id_of(h))).tolist() == [4.0, 8.0]


def test_a_gradient_is_cleared_by_zeros_whoever_writes_them() -> None:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    with tv.record() as log:
        for zeroed in (lambda: w.grad.zero_(), lambda: w.grad.data.zero_(), lambda: torch._foreach_zero_([w.grad])):
            (w * w).sum().backward()
            w.grad.mul_(0.5)
            zeroed()
    assert [type(each) for each in log.events if isinstance(each, (GradientStored, GradientCleared))] == [
        *(GradientStored, GradientCleared) * 3
    ]
    assert not tv.diagnose(log)


def test_parameters_that_no_module_used_in_the_block_have_their_names() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(2, 1))
    before = net(torch.ones(1, 2))
    with tv.record() as log:
        torch.nn.functional.linear(torch.ones(1, 2), net[0].weight).sum().backward()
        before.sum().backward()
    for name, parameter in net.named_parameters():
        assert log.tensors[log.id_of(parameter)].name == f"net.{name}"


@pytest.mark.parametrize("create", [False, True])
def test_zeros_that_were_asked_for_are_a_gradient(create: bool) -> None:
    def run() -> Any:
        w, unused = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
        loss = (w * w).sum()
        return w, unused, torch.autograd.grad(loss, [w, unused], materialize_grads=True, create_graph=create)

    plain = run()[2]
    with tv.record(stop_on="none") as log:
        w, unused, found = run()
        (found[1].sum() * w).sum()
    assert [torch.equal(*each) for each in zip(plain, found, strict=True)] == [True, True]
    assert [each.requires_grad for each in found] == [each.requires_grad for each in plain]
    (backward,) = runs(log)
    assert backward.gradient(log.id_of(unused)) == log.id_of(found[1])
    assert [str(each) for each in tv.diagnose(log)] == []


def names_of_variables(log: EventLog) -> list[str | None]:
    return [row.name for row in log.tensors if row.role == "variable"]


def test_layers_in_a_list_or_a_dictionary_go_by_their_place_in_it() -> None:
    class Stack(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = [torch.nn.Linear(2, 2, bias=False) for _ in range(2)]
            self.out = torch.nn.Linear(2, 1, bias=False)

        def forward(self, x: Any) -> Any:
            for layer in self.layers:
                x = layer(x)
            return self.out(x)

    stack, parts = Stack(), {"a": torch.nn.Linear(2, 2, bias=False)}
    with tv.record() as log:
        stack(parts["a"](torch.ones(1, 2))).sum().backward()
    assert names_of_variables(log) == ["parts['a'].weight", "layers[0].weight", "layers[1].weight", "out.weight"]


def test_a_model_in_an_object_of_the_users_goes_by_its_place_there() -> None:
    class Trainer:
        def __init__(self) -> None:
            self.model = torch.nn.Sequential(torch.nn.Linear(2, 1, bias=False))

        def step(self) -> None:
            self.model(torch.ones(1, 2)).sum().backward()

    trainer = Trainer()
    with tv.record() as log:
        trainer.step()
    assert names_of_variables(log) == ["self.model.0.weight"]


def test_who_is_stopped_reads_the_names_of_the_running_functions() -> None:
    def train() -> None:
        weight = torch.zeros(2, requires_grad=True)
        optimizer = torch.optim.SGD([weight], 0.1)
        with tv.record(stop_on="nan"):
            for _ in range(2):
                (weight.sqrt() * 0.0).sum().backward()
                optimizer.step()

    with pytest.raises(tv.errors.StoppedError, match="the gradient of `weight` is not finite"):
        train()


def test_what_autocast_keeps_is_not_what_is_kept_without_it() -> None:
    """A copy of the weight in the one recording, the weight in the next."""
    net, x = torch.nn.Linear(2, 2), torch.ones(1, 2, requires_grad=True)
    with tv.record() as mixed, torch.autocast("cpu", dtype=torch.bfloat16):
        net(x)
    with tv.record() as plain:
        net(x)
    [[of_mixed], [of_plain]] = (list(log.of_kind(OpRecorded).values()) for log in (mixed, plain))
    assert mixed.id_of("net.weight") not in of_mixed.saved
    assert plain.id_of("net.weight") in of_plain.saved


def test_a_gradient_above_the_budget_is_summarised_and_takes_the_place_of_no_other() -> None:
    small, large = torch.ones(50, requires_grad=True), torch.ones(5000, requires_grad=True)
    with tv.record(max_bytes=16_000) as log:
        (small.square().sum() + (large * 3.0).sum()).backward()
    values = {event.tensor: log.value(event.gradient) for event in log.of_kind(GradientStored).values()}
    kept, told = values[log.id_of(small)], values[log.id_of(large)]
    np.testing.assert_array_equal(kept, np.full(50, 2.0))
    assert (told.min, told.max, told.norm) == (3.0, 3.0, pytest.approx(3.0 * 5000**0.5))
    assert (told.zeros, told.nans, told.infs) == (0, 0, 0)


def test_what_an_initializer_draws_is_written_at_the_users_line() -> None:
    w = torch.nn.Parameter(torch.ones(2, 2))
    with tv.record() as log:
        (w * w).sum().backward()
        torch.nn.init.kaiming_uniform_(w)
        torch.nn.init.constant_(w, 2.0)
        (w * w).sum().backward()
    writes = [event for event in log.of_kind(StateWritten).values() if event.tensor == log.id_of(w)]
    assert [each.how for each in writes] == ["kaiming_uniform_", "constant_"]
    assert writes[0].site is not None
    assert log.sites[writes[0].site].text == "torch.nn.init.kaiming_uniform_(w)"
