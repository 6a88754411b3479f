"""Points that flow to others along the gradient of a Sinkhorn divergence of geomloss."""

import torch
from geomloss import SamplesLoss

REQUIRES = ["geomloss", "torch"]

torch.manual_seed(0)
target = torch.randn(12, 2) + 1.0  #: target
points = torch.randn(10, 2, requires_grad=True)  #: weight
distance = SamplesLoss(loss="sinkhorn", p=2, blur=0.1)
for _ in range(2):
    loss = distance(points, target)  #: loss
    (gradient,) = torch.autograd.grad(loss, [points])  #: backward
    points.data -= 0.5 * len(points) * gradient
gradients = {"points": gradient}
