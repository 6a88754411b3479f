"""A loop that Accelerate prepares, with clipping."""

import torch
from accelerate import Accelerator

REQUIRES = ["accelerate", "torch"]

torch.manual_seed(0)
accelerator = Accelerator(cpu=True)
net = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.GELU(), torch.nn.Linear(16, 1))
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
net, optimizer = accelerator.prepare(net, optimizer)
x = torch.randn(8, 4)  #: data
y = torch.randn(8, 1)  #: target
for _ in range(2):
    optimizer.zero_grad()
    prediction = net(x)  #: hidden
    loss = (prediction - y).pow(2).mean()  #: loss
    accelerator.backward(loss)  #: backward
    accelerator.clip_grad_norm_(net.parameters(), 10.0)
    optimizer.step()
gradients = {name: weight.grad for name, weight in net.named_parameters()}
