"""A perceptron of two layers, written by hand."""

import torch

REQUIRES = ["torch"]

torch.manual_seed(0)
x = torch.randn(6, 4)  #: data
y = torch.randn(6, 1)  #: target
w1 = torch.randn(4, 8, requires_grad=True)  #: weight
b1 = torch.zeros(8, requires_grad=True)
w2 = torch.randn(8, 1, requires_grad=True)  #: weight

h = torch.tanh(x @ w1 + b1)  #: hidden
prediction = h @ w2  #: hidden
loss = ((prediction - y) ** 2).mean()  #: loss
loss.backward()  #: backward
gradients = {"w1": w1.grad, "b1": b1.grad, "w2": w2.grad}
