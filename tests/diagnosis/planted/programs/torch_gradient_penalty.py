"""A critic whose slope is held near one, as in WGAN-GP."""

import torch

REQUIRES = ["torch"]

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.Softplus(), torch.nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
real, fake = torch.randn(6, 4), torch.randn(6, 4) + 1.0
between = torch.lerp(real, fake, torch.rand(6, 1))  #: data
between.requires_grad_()
score = net(between)  #: hidden
(slope,) = torch.autograd.grad(score.sum(), between, create_graph=True)
penalty = (slope.norm(dim=1) - 1.0).pow(2)  #: hidden
loss = net(fake).mean() - net(real).mean() + 10.0 * penalty.mean()  #: loss
optimizer.zero_grad()
loss.backward()  #: backward
optimizer.step()
gradients = [weight.grad for name, weight in net.named_parameters() if name != "2.bias"]
