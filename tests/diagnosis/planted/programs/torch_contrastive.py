"""Two views of each item, pulled together by InfoNCE."""

import torch
from torch.nn import functional as F

REQUIRES = ["torch"]

torch.manual_seed(0)
encoder = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.SiLU(), torch.nn.Linear(16, 8))
optimizer = torch.optim.SGD(encoder.parameters(), lr=0.05)
views = torch.randn(5, 6)  #: data
others = views + 0.1 * torch.randn(5, 6)
for _ in range(2):
    optimizer.zero_grad()
    a = F.normalize(encoder(views), dim=-1)
    b = F.normalize(encoder(others), dim=-1)
    similarity = a @ b.T / 0.2  #: hidden logits
    loss = F.cross_entropy(similarity, torch.arange(5))  #: loss
    loss.backward()  #: backward
    optimizer.step()
gradients = {name: weight.grad for name, weight in encoder.named_parameters()}
