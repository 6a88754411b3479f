"""PyTorch programs whose fault lies in a function with a gradient of its own: what it reads, what it gives."""
# ruff: noqa: E501  (a repaired line stands beside the faulty one)

from __future__ import annotations

from tests.diagnosis.programs import marked

FUNCTIONS = [
    *marked(
        "custom_gradient_bug",
        differentiable_only_once="""
            # raises
            from torch.autograd.function import once_differentiable
            class Sine(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    ctx.save_for_backward(x)
                    return x.sin()
                @staticmethod
                @once_differentiable  #~ # as often as one likes
                def backward(ctx, g):
                    (x,) = ctx.saved_tensors
                    return g * x.cos()  #! =
            x = torch.tensor([0.5], requires_grad=True)
            (slope,) = torch.autograd.grad(Sine.apply(x).sum(), x, create_graph=True)
            torch.autograd.grad(slope.sum(), x)
            """,
        differentiable_only_once_below_a_power="""
            # raises
            class Sine(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    ctx.save_for_backward(x)
                    return x.sin()
                @staticmethod
                @torch.autograd.function.once_differentiable  #~ # as often as one likes
                def backward(ctx, g):
                    (x,) = ctx.saved_tensors
                    return g * x.cos()  #! =
            x = torch.tensor([0.5], requires_grad=True)
            (slope,) = torch.autograd.grad(Sine.apply(x).pow(2).sum(), x, create_graph=True)
            torch.autograd.grad(slope.sum(), x)
            """,
        second_derivative_of_a_gradient_that_numpy_computed="""
            # raises
            class Sine(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    ctx.save_for_backward(x)
                    return x.sin()
                @staticmethod
                def backward(ctx, g):
                    (x,) = ctx.saved_tensors
                    return g * torch.from_numpy(np.cos(x.detach().numpy()))  #! return g * x.cos()
            x = torch.tensor([0.5], requires_grad=True)
            (slope,) = torch.autograd.grad(Sine.apply(x).sum(), x, create_graph=True)
            slope.sum().backward()
            """,
    ),
    *marked(
        "constant_by_construction",
        second_derivative_of_a_straight_through_estimator="""
            # raises
            class Rounded(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    return x.round()
                @staticmethod
                def backward(ctx, g):
                    return g
            x = torch.tensor([0.5], requires_grad=True)
            (slope,) = torch.autograd.grad(Rounded.apply(x).sum(), x, create_graph=True)  #! (slope,) = torch.autograd.grad(Rounded.apply(x).pow(2).sum(), x, create_graph=True)
            slope.sum().backward()
            """,
    ),
]

HEALTHY: dict[str, str] = {}
"""Healthy programs, each with such a function."""
