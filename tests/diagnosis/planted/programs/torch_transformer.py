"""A transformer layer of PyTorch's own on a sequence of tokens."""

import torch

REQUIRES = ["torch"]

torch.manual_seed(0)
embed = torch.nn.Embedding(11, 8)  #: layer
encoder = torch.nn.TransformerEncoderLayer(8, nhead=2, dim_feedforward=16, dropout=0.0, batch_first=True)
head = torch.nn.Linear(8, 11)  #: layer
tokens = torch.randint(0, 11, (2, 6))
hidden = embed(tokens)  #: hidden
hidden = encoder(hidden)  #: hidden
logits = head(hidden)  #: logits hidden
loss = torch.nn.functional.cross_entropy(logits[:, :-1].reshape(-1, 11), tokens[:, 1:].reshape(-1))  #: loss
loss.backward()  #: backward
gradients = {"embed": embed.weight.grad, "norm": encoder.norm1.weight.grad, "head": head.weight.grad}
