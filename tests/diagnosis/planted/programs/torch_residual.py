"""Residual blocks with normalisation, and a loss that is summed over two heads."""

import torch

REQUIRES = ["torch"]


class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = torch.nn.LayerNorm(width)
        self.up = torch.nn.Linear(width, 2 * width)  #: layer
        self.down = torch.nn.Linear(2 * width, width)

    def forward(self, x):
        wide = torch.nn.functional.gelu(self.up(self.norm(x)))  #: hidden
        x = x + self.down(wide)
        return x


torch.manual_seed(0)
stem = torch.nn.Linear(5, 8)  #: layer
blocks = torch.nn.ModuleList([Block(8) for _ in range(3)])
head = torch.nn.Linear(8, 1)
net = torch.nn.ModuleDict({"stem": stem, "blocks": blocks, "head": head})
inputs = torch.randn(6, 5)  #: data
y = torch.randn(6, 1)  #: target
features = stem(inputs)  #: hidden
for block in blocks:
    features = block(features)
prediction = head(features)  #: hidden
loss = ((prediction - y) ** 2).mean()  #: loss
loss.backward()  #: backward
gradients = {name: weight.grad for name, weight in net.named_parameters()}
