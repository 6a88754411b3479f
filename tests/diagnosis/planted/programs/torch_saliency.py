"""Which pixels move the score of a class: the gradient by the input."""

import torch

REQUIRES = ["torch"]

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(12, 16), torch.nn.Tanh(), torch.nn.Linear(16, 4))
image = torch.randn(1, 12)  #: data
image.requires_grad_()
scores = net(image)  #: hidden
loss = scores[0, 2] - scores.mean()  #: loss
loss.backward()  #: backward
gradients = {"image": image.grad}
