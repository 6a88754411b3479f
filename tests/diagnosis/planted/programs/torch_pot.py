"""A cloud of points whose optimal transport to another is differentiated, by POT."""

import ot
import torch

REQUIRES = ["POT", "torch"]

torch.manual_seed(0)
source = torch.randn(8, 2, requires_grad=True)  #: weight
target = torch.randn(9, 2) * 0.5 + 1.0  #: data
a, b = torch.full((8,), 1 / 8), torch.full((9,), 1 / 9)
cost = ot.dist(source, target)  #: hidden
exact = ot.emd2(a, b, cost)  #: hidden
smooth = ot.sinkhorn2(a, b, cost / cost.max().detach(), reg=0.5)
loss = exact + smooth  #: loss
loss.backward()  #: backward
gradients = {"source": source.grad}
