"""A learning rate that is learned: TorchOpt differentiates through the step of a MetaSGD."""

import torch
import torchopt

REQUIRES = ["torchopt", "torch"]

torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 1)  #: data
model = torch.nn.Linear(3, 1)
weight = torch.nn.Parameter(torch.zeros(8))  #: weight
meta = torch.optim.Adam([weight], lr=0.1)
inner = torchopt.MetaSGD(model, lr=0.1)
meta.zero_grad()
errors = (model(x) - y).pow(2).squeeze(1)  #: hidden
inner.step((torch.sigmoid(weight) * errors).mean())
loss = (model(x) - y).pow(2).mean()  #: loss
loss.backward()  #: backward
meta.step()
gradients = {"weight": weight.grad}
