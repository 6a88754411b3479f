"""A neural controlled differential equation of torchcde, that tells spirals by their turn."""

import torch
import torchcde

REQUIRES = ["torchcde", "torch"]


class Field(torch.nn.Module):
    def __init__(self, channels, hidden):
        super().__init__()
        self.channels, self.hidden = channels, hidden
        self.linear = torch.nn.Linear(hidden, hidden * channels)

    def forward(self, t, z):
        return self.linear(z).tanh().view(*z.shape[:-1], self.hidden, self.channels)


torch.manual_seed(0)
times = torch.linspace(0.0, 1.0, 8)
turns = torch.tensor([1.0, -1.0, 1.0, -1.0])
series = torch.stack([times.expand(4, 8), (turns[:, None] * times).sin(), times.cos().expand(4, 8)], dim=-1)  #: data
labels = (turns > 0).float()
coefficients = torchcde.hermite_cubic_coefficients_with_backward_differences(series)
initial, field, readout = torch.nn.Linear(3, 4), Field(3, 4), torch.nn.Linear(4, 1)
parameters = [*initial.parameters(), *field.parameters(), *readout.parameters()]
optimizer = torch.optim.Adam(parameters, lr=0.01)
optimizer.zero_grad()
path = torchcde.CubicSpline(coefficients)
z0 = initial(path.evaluate(path.interval[0]))  #: hidden
options = {"step_size": 0.25}
z = torchcde.cdeint(X=path, func=field, z0=z0, t=path.interval, adjoint=False, method="rk4", options=options)
logits = readout(z[:, -1]).squeeze(-1)  #: hidden
loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, labels)  #: loss
loss.backward()  #: backward
optimizer.step()
gradients = {str(number): each.grad for number, each in enumerate(parameters)}
