"""A step of quantization-aware training: a net whose linear layers torchao rounds in the forward pass."""

import torch
from torchao.quantization import quantize_
from torchao.quantization.qat import IntxFakeQuantizeConfig, QATConfig

REQUIRES = ["torchao", "torch"]

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))
rounding = IntxFakeQuantizeConfig(torch.int8, granularity="per_channel")
quantize_(net, QATConfig(weight_config=rounding, step="prepare"))
x = torch.randn(6, 32)  #: data
y = torch.randn(6, 1)  #: target
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
h = net[1](net[0](x))  #: hidden
prediction = net[2](h)  #: hidden
loss = torch.nn.functional.mse_loss(prediction, y)  #: loss
loss.backward()  #: backward
optimizer.step()
gradients = {name: weight.grad for name, weight in net.named_parameters()}
