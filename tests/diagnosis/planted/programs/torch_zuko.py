"""A conditional normalizing flow of zuko, fitted by maximum likelihood."""

import torch
import zuko

REQUIRES = ["zuko", "torch"]

torch.manual_seed(0)
context = torch.randn(16, 2)  #: data
x = context * 0.5 + torch.randn(16, 2)  #: target
flow = zuko.flows.NSF(features=2, context=2, transforms=2, hidden_features=(8, 8))
optimizer = torch.optim.Adam(flow.parameters(), lr=1e-3)
for _ in range(2):
    optimizer.zero_grad()
    likelihood = flow(context).log_prob(x)  #: hidden
    loss = -likelihood.mean()  #: loss
    loss.backward()  #: backward
    optimizer.step()
gradients = {name: each.grad for name, each in flow.named_parameters()}
