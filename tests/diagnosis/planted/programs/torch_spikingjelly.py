"""A spiking net of spikingjelly, over a few time steps, by surrogate gradients."""

import torch
from spikingjelly.activation_based import functional, layer, neuron, surrogate

REQUIRES = ["spikingjelly", "torch"]

torch.manual_seed(0)
x = torch.rand(8, 6) * 2.0  #: data
labels = torch.nn.functional.one_hot(torch.randint(0, 3, (8,)), 3).float()
net = torch.nn.Sequential(
    layer.Linear(6, 12, bias=False),
    neuron.LIFNode(tau=2.0, surrogate_function=surrogate.ATan()),
    layer.Linear(12, 3, bias=False),
    neuron.LIFNode(tau=2.0, surrogate_function=surrogate.ATan()),
)
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(2):
    optimizer.zero_grad()
    rate = sum(net(x) for _ in range(4)) / 4  #: hidden
    loss = torch.nn.functional.mse_loss(rate, labels)  #: loss
    loss.backward()  #: backward
    optimizer.step()
    functional.reset_net(net)
gradients = {name: each.grad for name, each in net.named_parameters()}
