"""A quadratic program as a layer: its solution is differentiated by what it was given."""

import cvxpy as cp
import torch
from cvxpylayers.torch import CvxpyLayer

REQUIRES = ["cvxpylayers", "torch"]

torch.manual_seed(0)
unknown, wanted = cp.Variable(3), cp.Parameter(3)
problem = cp.Problem(cp.Minimize(cp.sum_squares(unknown - wanted)), [cp.sum(unknown) == 1.0])
layer = CvxpyLayer(problem, parameters=[wanted], variables=[unknown])
net = torch.nn.Linear(4, 3)  #: layer
x = torch.randn(6, 4)  #: data
y = torch.randn(6, 3)  #: target
h = torch.tanh(net(x))  #: hidden
(solution,) = layer(h)
prediction = solution * 2.0  #: hidden
loss = torch.nn.functional.mse_loss(prediction, y)  #: loss
loss.backward()  #: backward
gradients = {name: weight.grad for name, weight in net.named_parameters()}
