"""Equivariant features of points by e3nn."""

import torch
from e3nn import o3

REQUIRES = ["e3nn", "torch"]

torch.manual_seed(0)
points = torch.randn(5, 3)  #: data
harmonics = o3.spherical_harmonics([0, 1], points, normalize=True)
net = o3.Linear("1x0e + 1x1o", "4x0e + 2x1o")  #: layer
head = o3.FullyConnectedTensorProduct("4x0e + 2x1o", "4x0e + 2x1o", "1x0e")
y = torch.randn(5, 1)  #: target
features = net(harmonics)  #: hidden
energy = head(features, features)  #: hidden
loss = (energy - y).pow(2).mean()  #: loss
loss.backward()  #: backward
gradients = [weight.grad for weight in [*net.parameters(), *head.parameters()] if weight.numel()]
