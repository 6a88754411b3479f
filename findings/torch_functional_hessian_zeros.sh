#!/bin/sh
# torch.autograd.functional.hessian gives zeros where a second derivative cannot be taken.
#
# torch 2.13.0. The gradient function of a custom Function is once_differentiable, as many are that call kernels. Taking
# the second derivative by autograd.grad raises. functional.hessian and functional.vhp hand back zeros without a word,
# also where the Function is a part of something that bends for other reasons; with strict=True the error says that the
# Jacobian is independent of the input, which it is not.
# Seen: at 0.5, the second derivatives of sin(x) and of sin(x)^2 are -0.479 and 1.081; hessian says 0 and 0.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check torch==2.13.0 numpy==2.4.6
"$folder/env/bin/python" - <<'END'
import torch
from torch.autograd import functional
from torch.autograd.function import once_differentiable


class Sine(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x.cos()


def sine(x):
    return Sine.apply(x).sum()


def squared(x):
    return Sine.apply(x).square().sum()


x = torch.tensor([0.5], requires_grad=True)
for function, due in ((sine, -0.479426), (squared, 1.080605)):
    plain = functional.hessian({sine: lambda t: t.sin().sum(), squared: lambda t: t.sin().square().sum()}[function], x)
    assert abs(float(plain) - due) < 1e-5
    found = float(functional.hessian(function, x))
    print(f"{function.__name__}: hessian {found}, due {due}")
    assert found == 0.0
assert float(functional.vhp(sine, x, torch.ones(1))[1]) == 0.0
try:
    functional.hessian(sine, x, strict=True)
except RuntimeError as error:
    print("strict:", str(error)[:110])
    assert "independent" in str(error)
else:
    raise AssertionError("strict=True did not raise")
(slope,) = torch.autograd.grad(sine(x), x, create_graph=True)
try:
    torch.autograd.grad(slope.sum(), x)
except RuntimeError as error:
    print("autograd.grad:", error)
else:
    raise AssertionError("autograd.grad did not raise")
END
