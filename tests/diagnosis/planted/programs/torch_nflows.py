"""A masked autoregressive flow of nflows, fitted to two moons."""

import torch
from nflows.distributions.normal import StandardNormal
from nflows.flows.base import Flow
from nflows.transforms.autoregressive import MaskedAffineAutoregressiveTransform
from nflows.transforms.base import CompositeTransform
from nflows.transforms.permutations import ReversePermutation

REQUIRES = ["nflows", "torch"]

torch.manual_seed(0)
angles = torch.rand(16) * 3.14
x = torch.stack([angles.cos(), angles.sin()], dim=1) + 0.1 * torch.randn(16, 2)  #: data
layers = []
for _ in range(2):
    layers += [ReversePermutation(features=2), MaskedAffineAutoregressiveTransform(features=2, hidden_features=4)]
flow = Flow(CompositeTransform(layers), StandardNormal(shape=[2]))
optimizer = torch.optim.Adam(flow.parameters())
for _ in range(2):
    optimizer.zero_grad()
    likelihood = flow.log_prob(inputs=x)  #: hidden
    loss = -likelihood.mean()  #: loss
    loss.backward()  #: backward
    optimizer.step()
gradients = {name: each.grad for name, each in flow.named_parameters()}
