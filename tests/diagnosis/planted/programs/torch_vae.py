"""A variational autoencoder with the reparametrisation trick."""

import torch
from torch.nn import functional as F

REQUIRES = ["torch"]


class VAE(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.Linear(6, 8)  #: layer
        self.mean = torch.nn.Linear(8, 2)
        self.log_variance = torch.nn.Linear(8, 2)
        self.decoder = torch.nn.Linear(2, 6)  #: layer

    def forward(self, x):
        h = torch.tanh(self.encoder(x))  #: hidden
        mean, log_variance = self.mean(h), self.log_variance(h)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * log_variance)
        return self.decoder(z), mean, log_variance


torch.manual_seed(0)
x = torch.rand(8, 6)  #: data
model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(2):
    optimizer.zero_grad()
    logits, mean, log_variance = model(x)
    rebuilt = F.binary_cross_entropy_with_logits(logits, x, reduction="sum")  #: hidden
    kl = -0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp())
    loss = rebuilt + kl  #: loss
    loss.backward()  #: backward
    optimizer.step()
gradients = {name: weight.grad for name, weight in model.named_parameters()}
