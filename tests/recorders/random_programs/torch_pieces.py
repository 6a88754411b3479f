"""Pieces of PyTorch programs: functions of a vector that give one, by transforms, custom functions and bridges."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import torch.autograd.forward_ad as forward_ad
from torch.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, vjp, vmap
from torch.utils.checkpoint import checkpoint

Tensor = torch.Tensor


def shape_of(x: Tensor) -> Tensor:
    """What most pieces differentiate: smooth, and another number for each entry."""
    return torch.sin(x) * 0.5 + x * x * 0.1


def total(x: Tensor) -> Tensor:
    return (shape_of(x) * torch.tanh(x)).sum()


# ----- torch.func -----


def gradient_inside(x: Tensor) -> Tensor:
    return grad(total)(x)


def gradient_of_a_detached(x: Tensor) -> Tensor:
    slope = grad(total)(x.detach())
    return x * slope


def mapped(x: Tensor) -> Tensor:
    rows = torch.stack([x, x * 0.5])
    return vmap(shape_of)(rows).sum(0)


def mapped_over_columns(x: Tensor) -> Tensor:
    table = torch.stack([x, x * 0.5], dim=1)
    return vmap(lambda row, scale: row * scale, in_dims=(1, None), out_dims=1)(table, x).mean(1)


def mapped_gradient(x: Tensor) -> Tensor:
    slopes = vmap(grad(lambda each: torch.sin(each) * each))(x)
    return x + slopes


def mapped_twice(x: Tensor) -> Tensor:
    return vmap(vmap(torch.tanh))(torch.outer(x, x)).sum(1)


def mapped_random(x: Tensor) -> Tensor:
    noise = vmap(lambda each: torch.rand_like(each) * each, randomness="different")(torch.stack([x, x]))
    return x + 0.1 * noise.sum(0)


def pushed_forward(x: Tensor) -> Tensor:
    value, slope = jvp(shape_of, (x,), (torch.ones_like(x),))
    return value + slope


def pulled_back(x: Tensor) -> Tensor:
    value, pull = vjp(shape_of, x)
    return pull(value)[0]


def weights_given(x: Tensor) -> Tensor:
    layer = torch.nn.Linear(3, 3)
    weights = {name: each.detach() + x.mean() for name, each in layer.named_parameters()}
    return functional_call(layer, weights, (x,))


def gradients_per_example(x: Tensor) -> Tensor:
    layer = torch.nn.Linear(3, 1)
    weights = {name: each.detach() for name, each in layer.named_parameters()}

    def loss(weights: Any, row: Tensor) -> Tensor:
        return functional_call(layer, weights, (row,)).square().sum()

    found = vmap(grad(loss), in_dims=(None, 0))(weights, torch.stack([x, 2.0 * x]))
    return x + found["weight"].mean(0)[0]


def jacobian_backward(x: Tensor) -> Tensor:
    return jacrev(shape_of)(x) @ x


def jacobian_forward(x: Tensor) -> Tensor:
    return jacfwd(shape_of)(x) @ x


def hessian_inside(x: Tensor) -> Tensor:
    return hessian(total)(x) @ x


def jacobian_of_autograd(x: Tensor) -> Tensor:
    rows = torch.autograd.functional.jacobian(shape_of, x, create_graph=True, vectorize=True)
    return rows.sum(0) * x


# ----- forward mode -----


def dual_numbers(x: Tensor) -> Tensor:
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, torch.ones_like(x))
        value, slope = forward_ad.unpack_dual(shape_of(dual))
    return value + slope


def dual_numbers_of_plain_ones(x: Tensor) -> Tensor:
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(torch.arange(3.0), torch.ones(3))
        slope = forward_ad.unpack_dual(torch.exp(-dual)).tangent
    return x + slope


# ----- compiled -----


@torch.jit.script
def _scripted_cell(x: Tensor) -> Tensor:
    inner = torch.tanh(x * 0.5)
    return inner + x


def scripted(x: Tensor) -> Tensor:
    return _scripted_cell(x)


def traced(x: Tensor) -> Tensor:
    cell = torch.jit.trace(lambda each: torch.sigmoid(each) * each, (torch.ones(3),))
    return cell(x)


def compiled(x: Tensor) -> Tensor:
    return torch.compile(shape_of, backend="eager")(x)


# ----- custom functions -----


class Squared(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return 2.0 * x * g


def custom_function(x: Tensor) -> Tensor:
    return Squared.apply(x)


class SquaredForTransforms(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return x * x

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(inputs[0])
        ctx.save_for_forward(inputs[0])

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return 2.0 * ctx.saved_tensors[0] * g

    @staticmethod
    def jvp(ctx: Any, t: Tensor) -> Tensor:
        return 2.0 * ctx.saved_tensors[0] * t


def custom_function_mapped(x: Tensor) -> Tensor:
    return vmap(SquaredForTransforms.apply)(torch.stack([x, x])).mean(0)


def custom_function_differentiated(x: Tensor) -> Tensor:
    return grad(lambda each: SquaredForTransforms.apply(each).sum())(x)


class Reentrant(torch.autograd.Function):
    """Its gradient is computed by autograd, when the gradient is asked for."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return torch.sin(x)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        with torch.enable_grad():
            again = ctx.saved_tensors[0].detach().requires_grad_()
            inner = torch.sin(again)
        (slope,) = torch.autograd.grad(inner, again, g)
        return slope


def reentrant_function(x: Tensor) -> Tensor:
    return Reentrant.apply(x)


def gradient_in_a_hook(x: Tensor) -> Tensor:
    y = torch.tanh(x)

    def halved(g: Tensor) -> Tensor:
        with torch.enable_grad():
            scale = g.detach().requires_grad_()
            (same,) = torch.autograd.grad((scale * scale).sum() * 0.5, scale)
        return same

    if y.requires_grad:
        y.register_hook(halved)
    return y


@torch.library.custom_op("tapeviz_tests::cubed", mutates_args=())
def _cubed(x: Tensor) -> Tensor:
    return x**3


@_cubed.register_fake
def _(x: Tensor) -> Tensor:
    return torch.empty_like(x)


def _keep(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.save_for_backward(inputs[0])


def _cubed_back(ctx: Any, g: Tensor) -> Tensor:
    return 3.0 * ctx.saved_tensors[0] ** 2 * g


_cubed.register_autograd(_cubed_back, setup_context=_keep)


def custom_operator(x: Tensor) -> Tensor:
    return _cubed(x)


def custom_operator_by_its_name(x: Tensor) -> Tensor:
    return torch.ops.tapeviz_tests.cubed(x)


def checkpointed(x: Tensor) -> Tensor:
    return checkpoint(shape_of, x, use_reentrant=False)


def checkpointed_reentrant(x: Tensor) -> Tensor:
    return checkpoint(shape_of, x, use_reentrant=True)


# ----- kinds of tensors -----


def nested(x: Tensor) -> Tensor:
    parts = torch.nested.as_nested_tensor([x[:2], x], layout=torch.jagged)
    return torch.sin(parts).to_padded_tensor(0.0, output_size=(2, 3)).sum(0)


def nested_strided(x: Tensor) -> Tensor:
    parts = torch.nested.as_nested_tensor([x[:2], x])
    return torch.nested.to_padded_tensor(torch.relu(parts), 0.0).sum(0)


def sparse(x: Tensor) -> Tensor:
    places = torch.tensor([[0, 1, 2], [1, 2, 0]])
    matrix = torch.sparse_coo_tensor(places, x, (3, 3))
    return torch.sparse.mm(matrix, x.reshape(3, 1)).reshape(3)


def sparse_rows(x: Tensor) -> Tensor:
    matrix = torch.eye(3).to_sparse_csr()
    return (matrix @ x.reshape(3, 1)).reshape(3)


def complex_numbers(x: Tensor) -> Tensor:
    z = torch.complex(x, 0.5 * x)
    return (z * z.conj()).real + torch.view_as_real(torch.exp(1j * x))[:, 1]


def fourier(x: Tensor) -> Tensor:
    return torch.fft.irfft(torch.fft.rfft(x) * 0.5, n=3)


class Marked(torch.Tensor):
    """A class of tensors that leaves all to PyTorch."""


def subclass(x: Tensor) -> Tensor:
    marked = x.as_subclass(Marked)
    return (marked * torch.cos(marked)).as_subclass(Tensor)


class Logged(torch.Tensor):
    """A class that sees each call."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return super().__torch_function__(func, types, args, kwargs or {})


def subclass_that_sees_calls(x: Tensor) -> Tensor:
    seen = x.as_subclass(Logged)
    return torch.tanh(seen).as_subclass(Tensor) * 2.0


def changed_in_place(x: Tensor) -> Tensor:
    y = x * 2.0
    y[0] = 0.5
    y[1:].mul_(0.5)
    y += x
    return y


def changed_while_off(x: Tensor) -> Tensor:
    state = torch.zeros(3)
    with torch.no_grad():
        state.copy_(x).add_(1.0)
    return x * state


# ----- bridges -----


class ThroughNumPy(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        y = np.tanh(x.detach().numpy())
        ctx.slope = torch.from_numpy(1.0 - y * y)
        return torch.from_numpy(y)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return g * ctx.slope


def through_numpy(x: Tensor) -> Tensor:
    return ThroughNumPy.apply(x)


def shared_with_numpy(x: Tensor) -> Tensor:
    plain = x.detach().numpy().copy()
    return x * torch.from_numpy(np.ones_like(plain))


def shared_by_dlpack(x: Tensor) -> Tensor:
    plain = torch.from_dlpack(x.detach())
    return x + torch.from_dlpack(np.ones_like(np.from_dlpack(plain))).clone()


AROUND = (
    "vmap(FUNCTION)(torch.stack([{0}, {0} * 0.5])).sum(0)",
    "vmap(FUNCTION, in_dims=1, out_dims=1)(torch.stack([{0}, {0} * 0.5], 1)).mean(1)",
    "grad(lambda each: FUNCTION(each).sum())({0})",
    "jvp(FUNCTION, ({0},), (torch.ones_like({0}),))[1] + {0}",
    "vjp(FUNCTION, {0})[1]({0})[0]",
    "jacrev(FUNCTION)({0}) @ {0}",
    "jacfwd(FUNCTION)({0}) @ {0}",
)
"""Transforms around a function."""
INSIDE = (
    *("shape_of", "gradient_inside", "mapped", "mapped_over_columns", "mapped_gradient", "mapped_twice"),
    *("pushed_forward", "pulled_back", "weights_given", "gradients_per_example", "jacobian_backward"),
    *("jacobian_forward", "hessian_inside", "custom_function_mapped", "custom_function_differentiated", "torch.tanh"),
    *("complex_numbers", "fourier", "changed_while_off", "subclass"),
)
"""What may be in that function."""
