"""Attention that is sparse, by entmax, over the words of a sentence."""

import torch
from entmax import entmax15, sparsemax_loss

REQUIRES = ["entmax", "torch"]

torch.manual_seed(0)
words = torch.randn(4, 6, 8)  #: data
labels = torch.randint(0, 5, (4,))
query = torch.nn.Parameter(torch.randn(8))  #: weight
readout = torch.nn.Linear(8, 5)
optimizer = torch.optim.SGD([query, *readout.parameters()], lr=0.1)
optimizer.zero_grad()
scores = words @ query / 8**0.5  #: hidden
weights = entmax15(scores, dim=-1)
context = (weights.unsqueeze(-1) * words).sum(1)  #: hidden
loss = sparsemax_loss(readout(context), labels).mean()  #: loss
loss.backward()  #: backward
optimizer.step()
gradients = {"query": query.grad, "weight": readout.weight.grad}
