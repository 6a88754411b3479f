"""Density estimation with affine couplings of normflows."""

import normflows as nf
import torch

REQUIRES = ["normflows", "torch"]

torch.manual_seed(0)
flows = []
for _ in range(2):
    flows += [nf.flows.AffineCouplingBlock(nf.nets.MLP([1, 8, 2], init_zeros=False)), nf.flows.Permute(2, mode="swap")]
net = nf.NormalizingFlow(nf.distributions.DiagGaussian(2, trainable=False), flows)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
x = torch.randn(16, 2) * 0.5 + 1.0  #: data
for _ in range(2):
    optimizer.zero_grad()
    log_probability = net.log_prob(x)  #: hidden
    loss = -log_probability.mean()  #: loss
    loss.backward()  #: backward
    optimizer.step()
gradients = {name: weight.grad for name, weight in net.named_parameters()}
