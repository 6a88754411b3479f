"""Words to vectors to a sentiment, with a bag of embeddings."""

import torch

REQUIRES = ["torch"]


class Sentiment(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(20, 8)  #: layer
        self.layers = torch.nn.ModuleList([torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)])
        self.score = torch.nn.Linear(8, 1)

    def forward(self, ids):
        h = self.words(ids).mean(dim=1)  #: hidden
        for layer in self.layers:
            h = torch.nn.functional.elu(layer(h))  #: hidden
        return self.score(h)


torch.manual_seed(0)
ids = torch.randint(0, 20, (6, 7))
y = torch.tensor([[1.0], [0.0], [1.0], [1.0], [0.0], [0.0]])  #: target
net = Sentiment()
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
for _ in range(2):
    optimizer.zero_grad()
    score = net(ids)  #: hidden
    loss = torch.nn.functional.binary_cross_entropy_with_logits(score, y)  #: loss
    loss.backward()  #: backward
    optimizer.step()
gradients = {name: weight.grad for name, weight in net.named_parameters()}
