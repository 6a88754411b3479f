"""A recurrent net that predicts the next value of a sequence."""

import torch

REQUIRES = ["torch"]

torch.manual_seed(0)
steps = torch.linspace(0, 6, 21)
wave = torch.sin(steps).reshape(1, -1, 1)  #: data
cell = torch.nn.LSTM(1, 8, batch_first=True)  #: layer
readout = torch.nn.Linear(8, 1)
y = wave[:, 1:]
optimizer = torch.optim.Adam([*cell.parameters(), *readout.parameters()], lr=1e-2)
for _ in range(2):
    states, _ = cell(wave[:, :-1])
    states = states * 1.5  #: hidden
    prediction = readout(states)  #: hidden
    loss = (prediction - y).square().mean()  #: loss
    optimizer.zero_grad()
    loss.backward()  #: backward
    optimizer.step()
gradients = [weight.grad for weight in [*cell.parameters(), *readout.parameters()]]
