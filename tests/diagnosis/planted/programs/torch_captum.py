"""Integrated gradients by captum, and a penalty on what they say."""

import torch
from captum.attr import Saliency

REQUIRES = ["captum", "torch"]

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(5, 12), torch.nn.Tanh(), torch.nn.Linear(12, 3))
x = torch.randn(4, 5)  #: data
x.requires_grad_()
labels = torch.tensor([0, 1, 2, 1])
attribution = Saliency(net).attribute(x, target=labels)
logits = net(x * attribution)  #: hidden logits
loss = torch.nn.functional.cross_entropy(logits, labels)  #: loss
net.zero_grad()
x.grad = None
loss.backward()  #: backward
gradients = {"x": x.grad, **{name: weight.grad for name, weight in net.named_parameters()}}
