"""Images that a small net restores, by the structural similarity of torchmetrics, with a metric that is only read."""

import torch
import torchmetrics
from torchmetrics.functional.image import structural_similarity_index_measure

REQUIRES = ["torchmetrics", "torch"]

torch.manual_seed(0)
clean = torch.rand(4, 1, 16, 16)
noisy = (clean + 0.2 * torch.randn(4, 1, 16, 16)).clamp(0.0, 1.0)  #: data
model = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3, padding=1), torch.nn.Tanh(), torch.nn.Conv2d(4, 1, 3, padding=1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
error = torchmetrics.MeanSquaredError()
for _ in range(2):
    optimizer.zero_grad()
    restored = torch.sigmoid(model(noisy))  #: hidden
    loss = 1.0 - structural_similarity_index_measure(restored, clean, data_range=1.0)  #: loss
    loss.backward()  #: backward
    optimizer.step()
    error.update(restored.detach(), clean)
print(float(error.compute()))
gradients = {name: each.grad for name, each in model.named_parameters()}
