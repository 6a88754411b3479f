"""The reader of digits of `notebooks/04_pytorch`, on digits that are made up."""

import torch
from torch import nn
from torch.nn import functional as F

REQUIRES = ["torch"]


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.norm2 = nn.LayerNorm(width)
        self.widen, self.narrow = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        seen = self.norm1(x)
        match = self.query(seen) @ self.key(seen).transpose(1, 2) / x.shape[-1] ** 0.5
        x = x + F.softmax(match, dim=-1) @ self.value(seen)
        return x + self.narrow(F.relu(self.widen(self.norm2(x))))


class Reader(nn.Module):
    def __init__(self, width=16, depth=2):
        super().__init__()
        self.embed = nn.Linear(8, width)  #: layer
        self.blocks = nn.ModuleList([Block(width) for _ in range(depth)])
        self.digit = nn.Linear(width, 10)  #: layer

    def forward(self, rows):
        x = self.embed(rows)  #: hidden
        for block in self.blocks:
            x = block(x)
        pooled = x.mean(dim=1)  #: hidden
        return self.digit(pooled)


torch.manual_seed(0)
rows = torch.rand(8, 8, 8)  #: data
labels = torch.randint(0, 10, (8,))
model = Reader()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(2):
    optimizer.zero_grad()
    logits = model(rows)  #: hidden logits
    loss = F.cross_entropy(logits, labels)  #: loss
    loss.backward()  #: backward
    optimizer.step()
gradients = {name: weight.grad for name, weight in model.named_parameters() if not name.endswith("key.bias")}
