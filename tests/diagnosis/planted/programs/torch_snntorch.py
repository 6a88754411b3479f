"""Leaky neurons that spike, trained through surrogate gradients."""

import snntorch as snn
import torch
from snntorch import surrogate

REQUIRES = ["snntorch", "torch"]


class Spiking(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(4, 12)  #: layer
        self.leaky = snn.Leaky(beta=0.9, spike_grad=surrogate.fast_sigmoid())
        self.last = torch.nn.Linear(12, 3)

    def forward(self, x, steps=4):
        membrane, total = self.leaky.init_leaky(), 0.0
        for _ in range(steps):
            current = self.first(x)  #: hidden
            spikes, membrane = self.leaky(current, membrane)
            total = total + self.last(spikes)
        return total


torch.manual_seed(0)
x = torch.rand(6, 4) * 3  #: data
labels = torch.tensor([0, 1, 2, 0, 1, 2])
net = Spiking()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(2):
    optimizer.zero_grad()
    logits = net(x)  #: logits hidden
    loss = torch.nn.functional.cross_entropy(logits, labels)  #: loss
    loss.backward()  #: backward
    optimizer.step()
gradients = {name: weight.grad for name, weight in net.named_parameters()}
