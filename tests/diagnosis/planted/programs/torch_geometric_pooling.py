"""Graphs to numbers: attention over edges, and a mean over each graph's nodes."""

import torch
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GATConv, global_mean_pool

REQUIRES = ["torch-geometric", "torch"]

torch.manual_seed(0)
edges = torch.tensor([[0, 1, 1, 2, 2, 0], [1, 0, 2, 1, 0, 2]])
batch = Batch.from_data_list([Data(x=torch.randn(3, 4), edge_index=edges) for _ in range(4)])
conv = GATConv(4, 8)  #: layer
head = torch.nn.Linear(8, 1)  #: layer
y = torch.randn(4, 1)  #: target
nodes = conv(batch.x, batch.edge_index)  #: hidden
nodes = torch.nn.functional.elu(nodes)  #: hidden
graphs = global_mean_pool(nodes, batch.batch)  #: hidden
prediction = head(graphs)  #: hidden
loss = (prediction - y).abs().mean()  #: loss
loss.backward()  #: backward
gradients = {"lin": conv.lin.weight.grad, "att": conv.att_src.grad, "head": head.weight.grad}
