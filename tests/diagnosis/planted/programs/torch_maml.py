"""One inner step of MAML, differentiated through."""

import torch
from torch.func import functional_call

REQUIRES = ["torch"]

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(1, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
x = torch.linspace(-1, 1, 8).reshape(-1, 1)  #: data
y = torch.sin(3 * x)  #: target
weights = dict(net.named_parameters())
first = functional_call(net, weights, (x,))  #: hidden
inner = (first - y).pow(2).mean()
slopes = torch.autograd.grad(inner, list(weights.values()), create_graph=True)
adapted = {name: weight - 0.1 * slope for (name, weight), slope in zip(weights.items(), slopes, strict=True)}
second = functional_call(net, adapted, (x,))  #: hidden
loss = (second - y).pow(2).mean()  #: loss
optimizer.zero_grad()
loss.backward()  #: backward
optimizer.step()
gradients = {name: weight.grad for name, weight in net.named_parameters()}
