"""A neural ODE that torchode solves for a batch, each of its own step size."""

import torch
import torchode as to

REQUIRES = ["torchode", "torch"]

torch.manual_seed(0)
field = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
term = to.ODETerm(lambda t, y: field(y))
step = to.Dopri5(term=term)
controller = to.IntegralController(atol=1e-3, rtol=1e-3, term=term)
solver = to.AutoDiffAdjoint(step, controller)
y0 = torch.randn(4, 2)  #: data
times = torch.linspace(0.0, 1.0, 5).repeat(4, 1)
target = torch.randn(4, 2)
optimizer = torch.optim.Adam(field.parameters(), lr=0.01)
optimizer.zero_grad()
solution = solver.solve(to.InitialValueProblem(y0=y0, t_eval=times)).ys  #: hidden
loss = (solution[:, -1] - target).pow(2).mean()  #: loss
loss.backward()  #: backward
optimizer.step()
gradients = {name: each.grad for name, each in field.named_parameters()}
