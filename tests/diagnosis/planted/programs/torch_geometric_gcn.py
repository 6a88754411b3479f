"""Two graph convolutions that label the nodes of a ring."""

import torch
from torch_geometric.nn import GCNConv

REQUIRES = ["torch-geometric", "torch"]


class GCN(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = GCNConv(4, 8)  #: layer
        self.conv2 = GCNConv(8, 3)  #: layer

    def forward(self, x, edges):
        x = self.conv1(x, edges)
        x = torch.tanh(x)  #: hidden
        return self.conv2(x, edges)


torch.manual_seed(0)
x = torch.randn(6, 4)  #: data
around = torch.arange(6)
edges = torch.stack([torch.cat([around, (around + 1) % 6]), torch.cat([(around + 1) % 6, around])])
labels = torch.tensor([0, 1, 2, 0, 1, 2])
net = GCN()
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(2):
    optimizer.zero_grad()
    logits = net(x, edges)  #: logits hidden
    loss = torch.nn.functional.cross_entropy(logits, labels)  #: loss
    loss.backward()  #: backward
    optimizer.step()
gradients = {name: weight.grad for name, weight in net.named_parameters()}
