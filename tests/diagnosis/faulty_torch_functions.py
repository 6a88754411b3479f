"""PyTorch programs whose fault lies in a function with a gradient of its own: what it reads, what it gives."""
# ruff: noqa: E501  (a repaired line stands beside the faulty one)

from __future__ import annotations

from tests.diagnosis.programs import marked

FUNCTIONS = [
    *marked(
        "not_trainable",
        gradients_of_all_arguments_of_which_some_are_frozen="""
            # raises
            class Twice(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x, *weights):
                    ctx.save_for_backward(x, *weights)
                    return (x * weights[0] * weights[1]) ** 2
                @staticmethod
                def backward(ctx, g):
                    with torch.enable_grad():
                        x = ctx.saved_tensors[0].detach().requires_grad_()
                        w, v = ctx.saved_tensors[1:]
                        return torch.autograd.grad((x * w * v) ** 2, [x, w, v], g)  #! return *torch.autograd.grad((x * w * v) ** 2, [x, w], g), None
            x, w, v = (torch.nn.Parameter(torch.ones(2)) for _ in range(3))
            v.requires_grad_(False)
            Twice.apply(x, w, v).sum().backward()
            """,
    ),
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
        kink_differentiable_only_once="""
            # raises
            class Kink(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    ctx.save_for_backward(x)
                    return x.clamp(min=0)
                @staticmethod
                @torch.autograd.function.once_differentiable  #~ # as often as one likes
                def backward(ctx, g):
                    (x,) = ctx.saved_tensors
                    return g * (x > 0)  #! =
            w, x = torch.ones(2, 2, requires_grad=True), torch.ones(3, 2, requires_grad=True)
            (slope,) = torch.autograd.grad(Kink.apply(x @ w).pow(2).sum(), x, create_graph=True)
            (slope.norm() - 1).square().backward()
            """,
        weight_that_its_forward_reads_from_outside="""
            w = torch.tensor(2.0, requires_grad=True)
            class Scaled(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x, *others):
                    return x * w
                @staticmethod
                def backward(ctx, g):
                    return g * w, *([g * 3.0] if ctx.needs_input_grad[1:] else [])
            x = torch.tensor(3.0, requires_grad=True)
            Scaled.apply(x).backward()  #! Scaled.apply(x, w).backward()
            print(w.grad)
            """,
        weight_that_its_forward_reads_from_a_tuple="""
            import collections
            Weights = collections.namedtuple("Weights", "k")
            class Mapped(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x, weights):
                    k = weights.k if isinstance(weights, Weights) else weights
                    ctx.save_for_backward(x, k)
                    return torch.nn.functional.linear(x, k)
                @staticmethod
                def backward(ctx, g):
                    x, k = ctx.saved_tensors
                    return g @ k, (g.T @ x if ctx.needs_input_grad[1] else None)
            x, k = torch.ones(4, 2, requires_grad=True), torch.nn.Parameter(torch.ones(3, 2))
            loss = Mapped.apply(x, Weights(k)).square().sum()  #! loss = Mapped.apply(x, k).square().sum()
            loss.backward()
            print(k.grad)
            """,
        second_derivative_of_a_gradient_made_of_a_slope_that_is_kept="""
            # raises
            class Sine(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    ctx.slope = x.cos()  #~ ctx.save_for_backward(x)
                    return x.sin()
                @staticmethod
                def backward(ctx, g):
                    return g * ctx.slope  #! return g * ctx.saved_tensors[0].cos()
            x = torch.tensor([0.5], requires_grad=True)
            (slope,) = torch.autograd.grad(Sine.apply(x).sum(), x, create_graph=True)
            torch.autograd.grad(slope.sum(), x)
            """,
        second_derivative_of_two_results_of_which_only_a_slope_is_kept="""
            # raises
            class Waves(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    ctx.save_for_backward(x.cos())  #~ ctx.save_for_backward(x)
                    return x.sin(), 2 * x.sin()
                @staticmethod
                def backward(ctx, g, h):
                    (kept,) = ctx.saved_tensors
                    return (g + 2 * h) * kept  #! return (g + 2 * h) * kept.cos()
            x = torch.tensor([0.5], requires_grad=True)
            one, two = Waves.apply(x)
            (slope,) = torch.autograd.grad((one + two).sum(), x, create_graph=True)
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

HEALTHY: dict[str, str] = {
    "a_function_that_reads_a_buffer_and_shapes": """
        scale, w = torch.tensor(2.0), torch.ones(3, requires_grad=True)
        class Scaled(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * scale * w.shape[0]
            @staticmethod
            def backward(ctx, g):
                return g * scale * w.shape[0]
        (Scaled.apply(w * 2.0).sum() + w.sum()).backward()
        print(w.grad)
        """,
}
"""Healthy programs, each with such a function."""
