"""A neural ODE whose solver's steps are differentiated."""

import torch
from torchdiffeq import odeint

REQUIRES = ["torchdiffeq", "torch"]


class Field(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(2, 16)  #: layer
        self.last = torch.nn.Linear(16, 2)

    def forward(self, t, state):
        h = torch.tanh(self.first(state))  #: hidden
        return self.last(h)


torch.manual_seed(0)
field = Field()
start = torch.tensor([[2.0, 0.0], [1.0, 0.5]])  #: data
times = torch.linspace(0.0, 1.0, 5)
y = torch.randn(2, 2)
optimizer = torch.optim.Adam(field.parameters(), lr=1e-2)
for _ in range(2):
    optimizer.zero_grad()
    path = odeint(field, start, times, method="rk4")  #: hidden
    loss = (path[-1] - y).pow(2).mean()  #: loss
    loss.backward()  #: backward
    optimizer.step()
gradients = {name: weight.grad for name, weight in field.named_parameters()}
