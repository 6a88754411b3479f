"""Patches of images, mixed across channels, by einops."""

import torch
from einops import rearrange, reduce
from einops.layers.torch import Rearrange

REQUIRES = ["einops", "torch"]

torch.manual_seed(0)
images = torch.randn(2, 3, 8, 8)  #: data
y = torch.randn(2, 1)  #: target
net = torch.nn.Sequential(Rearrange("b (h w) c -> b c (h w)", h=2), torch.nn.Linear(4, 4), torch.nn.Tanh())
head = torch.nn.Linear(48, 1)  #: layer
patches = rearrange(images, "b c (h p) (w q) -> b (h w) (c p q)", p=4, q=4)
mixed = net(patches)  #: hidden
pooled = reduce(mixed, "b c n -> b c", "mean")  #: hidden
prediction = head(pooled)  #: hidden
loss = torch.nn.functional.mse_loss(prediction, y)  #: loss
loss.backward()  #: backward
gradients = [weight.grad for weight in [*net.parameters(), *head.parameters()]]
