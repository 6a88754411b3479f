"""Exact Gaussian process regression with a learned kernel."""

import gpytorch
import torch

REQUIRES = ["gpytorch", "torch"]


class GP(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood):
        super().__init__(x, y, likelihood)
        self.mean = gpytorch.means.ConstantMean()
        self.kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        mean = self.mean(x)
        return gpytorch.distributions.MultivariateNormal(mean, self.kernel(x))


torch.manual_seed(0)
x = torch.linspace(0, 1, 12)
y = torch.sin(6 * x) + 0.1 * torch.randn(12)
likelihood = gpytorch.likelihoods.GaussianLikelihood()
net = GP(x, y, likelihood).train()
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
evidence = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, net)
for _ in range(2):
    optimizer.zero_grad()
    log_probability = evidence(net(x), y)  #: hidden
    loss = -log_probability  #: loss
    loss.backward()  #: backward
    optimizer.step()
gradients = {name: weight.grad for name, weight in net.named_parameters()}
