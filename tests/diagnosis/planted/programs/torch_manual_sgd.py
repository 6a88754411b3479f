"""Linear regression, its weights stepped by hand."""

import torch

REQUIRES = ["torch"]

torch.manual_seed(0)
x = torch.randn(10, 3)  #: data
y = x @ torch.tensor([[1.0], [-2.0], [0.5]]) + 0.1  #: target
w = torch.randn(3, 1, requires_grad=True)  #: weight
b = torch.zeros(1, requires_grad=True)
for _ in range(3):
    prediction = x @ w + b  #: hidden
    loss = (prediction - y).pow(2).mean()  #: loss
    w.grad = b.grad = None
    loss.backward()  #: backward
    with torch.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
gradients = {"w": w.grad, "b": b.grad}
