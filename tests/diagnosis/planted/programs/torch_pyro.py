"""A variational normal for the mean of some numbers, with Pyro's distributions and one step of its SVI."""

import pyro
import pyro.distributions as dist
import torch

REQUIRES = ["pyro-ppl", "torch"]

torch.manual_seed(0)
pyro.clear_param_store()
data = torch.randn(10) + 3.0  #: data
mean = pyro.param("mean", torch.tensor(0.5))
log_scale = pyro.param("log_scale", torch.tensor(0.1))
guide = dist.Normal(mean, log_scale.exp())
z = guide.rsample((8,))  #: hidden
log_joint = dist.Normal(0.0, 10.0).log_prob(z) + dist.Normal(z[:, None], 1.0).log_prob(data).sum(-1)  #: hidden
loss = (guide.log_prob(z) - log_joint).mean()  #: loss
loss.backward()  #: backward
gradients = {"mean": mean.grad, "log_scale": log_scale.grad}
