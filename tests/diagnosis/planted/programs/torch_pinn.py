"""u' = -u with u(0) = 1, by a net and its derivative."""

import torch

REQUIRES = ["torch"]

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(1, 12), torch.nn.Tanh(), torch.nn.Linear(12, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
t = torch.linspace(0.0, 2.0, 9).reshape(-1, 1)  #: data
t.requires_grad_()
for _ in range(2):
    u = net(t)  #: hidden
    slope = torch.autograd.grad(u.sum(), t, create_graph=True)[0]  #: hidden
    residual = slope + u
    start = net(torch.zeros(1, 1)) - 1.0
    loss = residual.square().mean() + start.square().mean()  #: loss
    optimizer.zero_grad()
    loss.backward()  #: backward
    optimizer.step()
gradients = {name: weight.grad for name, weight in net.named_parameters()}
