"""A classifier whose weights torch-ema averages, and which is looked at with the averages."""

import torch
from torch_ema import ExponentialMovingAverage

REQUIRES = ["torch-ema", "torch"]

torch.manual_seed(0)
x = torch.randn(16, 5)  #: data
labels = torch.randint(0, 3, (16,))
model = torch.nn.Sequential(torch.nn.Linear(5, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
averages = ExponentialMovingAverage(model.parameters(), decay=0.995)
for _ in range(2):
    optimizer.zero_grad()
    logits = model(x)  #: hidden
    loss = torch.nn.functional.cross_entropy(logits, labels)  #: loss
    loss.backward()  #: backward
    optimizer.step()
    averages.update()
with averages.average_parameters(), torch.no_grad():
    print(float(torch.nn.functional.cross_entropy(model(x), labels)))
gradients = {name: each.grad for name, each in model.named_parameters()}
