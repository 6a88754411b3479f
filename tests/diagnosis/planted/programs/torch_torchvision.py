"""A box regressed by generalised IoU."""

import torch
from torchvision.ops import generalized_box_iou_loss

REQUIRES = ["torchvision", "torch"]

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.Tanh(), torch.nn.Linear(16, 4))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
features = torch.randn(3, 6)  #: data
boxes = torch.tensor([[0.1, 0.2, 0.6, 0.9], [0.3, 0.1, 0.8, 0.5], [0.0, 0.0, 0.5, 0.5]])
for _ in range(2):
    raw = net(features)  #: hidden
    corner = torch.sigmoid(raw[:, :2])
    size = torch.exp(raw[:, 2:].clamp(-3, 3))
    predicted = torch.cat([corner, corner + size], dim=1)  #: hidden
    loss = generalized_box_iou_loss(predicted, boxes).mean()  #: loss
    optimizer.zero_grad()
    loss.backward()  #: backward
    optimizer.step()
gradients = {name: weight.grad for name, weight in net.named_parameters()}
