"""A quantum circuit of PennyLane behind a linear layer, by the parameter-shift rule."""

import pennylane as qml
import torch

REQUIRES = ["pennylane", "torch"]

device = qml.device("default.qubit", wires=2)


@qml.qnode(device, interface="torch", diff_method="parameter-shift")
def circuit(inputs, weights):
    qml.AngleEmbedding(inputs, wires=range(2))
    qml.BasicEntanglerLayers(weights, wires=range(2))
    return [qml.expval(qml.PauliZ(wire)) for wire in range(2)]


torch.manual_seed(0)
x = torch.rand(3, 4)  #: data
labels = torch.tensor([0.0, 1.0, 1.0])
first = torch.nn.Linear(4, 2)
weights = torch.nn.Parameter(torch.rand(1, 2))  #: weight
optimizer = torch.optim.SGD([*first.parameters(), weights], lr=0.1)
optimizer.zero_grad()
angles = torch.tanh(first(x))  #: hidden
measured = torch.stack([torch.stack(circuit(each, weights)) for each in angles]).float()
loss = (measured.mean(dim=1) - labels).pow(2).mean()  #: loss
loss.backward()  #: backward
optimizer.step()
gradients = {"first": first.weight.grad, "weights": weights.grad}
