"""The model in PyTorch."""

import torch

import tapeviz as tv
from docs.two_frameworks import weights


def forward(x, y, w1, w2):
    h = torch.relu(x @ w1)
    loss = ((h @ w2 - y) ** 2).mean()
    return loss


x, y = torch.tensor(weights.x), torch.tensor(weights.y)
w1, w2 = (torch.tensor(each, requires_grad=True) for each in (weights.w1, weights.w2))
with tv.record() as in_torch:
    forward(x, y, w1, w2).backward()
