"""One head of attention with a causal mask, written by hand."""

import math

import torch

REQUIRES = ["torch"]

torch.manual_seed(0)
tokens = torch.randn(2, 5, 8)  #: data
wq = (torch.randn(8, 8) / 3).requires_grad_()
wk = (torch.randn(8, 8) / 3).requires_grad_()
wv = (torch.randn(8, 8) / 3).requires_grad_()

mask = torch.tril(torch.ones(5, 5)).bool()
scores = (tokens @ wq) @ (tokens @ wk).transpose(-2, -1) / math.sqrt(8)  #: hidden
scores = scores.masked_fill(~mask, -1e9)
weights = torch.softmax(scores, dim=-1)
context = weights @ (tokens @ wv)  #: hidden
loss = (context - tokens).pow(2).mean()  #: loss
loss.backward()  #: backward
gradients = {"wq": wq.grad, "wk": wk.grad, "wv": wv.grad}
