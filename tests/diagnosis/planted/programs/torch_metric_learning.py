"""An embedding by the triplet loss of pytorch-metric-learning, over triplets that its miner finds."""

import torch
from pytorch_metric_learning import distances, losses, miners

REQUIRES = ["pytorch-metric-learning", "torch"]

torch.manual_seed(0)
x = torch.randn(16, 6)  #: data
labels = torch.arange(4).repeat(4)
model = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Linear(8, 4))
distance = distances.CosineSimilarity()
miner = miners.TripletMarginMiner(margin=0.3, distance=distance, type_of_triplets="all")
criterion = losses.TripletMarginLoss(margin=0.3, distance=distance)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(2):
    optimizer.zero_grad()
    embeddings = model(x)  #: hidden
    loss = criterion(embeddings, labels, miner(embeddings, labels))  #: loss
    loss.backward()  #: backward
    optimizer.step()
gradients = {name: each.grad for name, each in model.named_parameters()}
