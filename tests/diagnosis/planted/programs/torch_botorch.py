"""The next point to try, by a Gaussian process and an acquisition function of BoTorch."""

import torch
from botorch.acquisition import LogExpectedImprovement
from botorch.models import SingleTaskGP
from gpytorch.mlls import ExactMarginalLogLikelihood

REQUIRES = ["botorch", "torch"]

torch.manual_seed(0)
train_x = torch.rand(6, 2, dtype=torch.double)
train_y = (train_x - 0.4).pow(2).sum(dim=-1, keepdim=True).neg()
model = SingleTaskGP(train_x, train_y)
likelihood = ExactMarginalLogLikelihood(model.likelihood, model)
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
model.train()
for _ in range(2):
    optimizer.zero_grad()
    loss = -likelihood(model(*model.train_inputs), model.train_targets)
    loss.backward()  #: backward
    optimizer.step()
model.eval()
acquisition = LogExpectedImprovement(model, best_f=train_y.max())
candidate = torch.rand(1, 1, 2, dtype=torch.double, requires_grad=True)  #: weight
value = acquisition(candidate).sum()  #: loss
(gradient,) = torch.autograd.grad(value, [candidate])  #: backward
gradients = {"candidate": gradient}
