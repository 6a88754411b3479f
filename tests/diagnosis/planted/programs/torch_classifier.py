"""A classifier that is trained for three steps."""

import torch

REQUIRES = ["torch"]


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(4, 16)  #: layer
        self.second = torch.nn.Linear(16, 16)
        self.last = torch.nn.Linear(16, 3)  #: layer

    def forward(self, x):
        x = torch.tanh(self.first(x))  #: hidden
        x = torch.tanh(self.second(x))  #: hidden
        return self.last(x)


torch.manual_seed(0)
inputs = torch.randn(8, 4)  #: data
labels = torch.randint(0, 3, (8,))
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(3):
    optimizer.zero_grad()
    logits = net(inputs)  #: logits
    loss = torch.nn.functional.cross_entropy(logits, labels)  #: loss
    loss.backward()  #: backward
    optimizer.step()
gradients = {name: weight.grad for name, weight in net.named_parameters()}
