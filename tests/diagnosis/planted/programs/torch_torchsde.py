"""A neural stochastic differential equation, its mean fitted."""

import torch
import torchsde

REQUIRES = ["torchsde", "torch"]


class SDE(torch.nn.Module):
    noise_type, sde_type = "diagonal", "ito"

    def __init__(self):
        super().__init__()
        self.drift = torch.nn.Linear(2, 2)  #: layer
        self.spread = torch.nn.Linear(2, 2)

    def f(self, t, y):
        pull = torch.tanh(self.drift(y))  #: hidden
        return pull

    def g(self, t, y):
        return 0.1 * torch.sigmoid(self.spread(y))


torch.manual_seed(0)
sde = SDE()
start = torch.ones(4, 2)  #: data
times = torch.linspace(0.0, 1.0, 3)
noise = torchsde.BrownianInterval(t0=0.0, t1=1.0, size=(4, 2), entropy=1)
path = torchsde.sdeint(sde, start, times, bm=noise, dt=0.25, method="euler")  #: hidden
loss = (path[-1] - 2.0).pow(2).mean()  #: loss
loss.backward()  #: backward
gradients = {name: weight.grad for name, weight in sde.named_parameters()}
