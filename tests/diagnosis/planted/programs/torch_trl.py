"""The log probabilities of a policy's answers by TRL's own function, in a preference loss over two answers."""

import torch
from trl.trainer.utils import selective_log_softmax

REQUIRES = ["trl", "torch"]

torch.manual_seed(0)
embedding = torch.nn.Embedding(12, 8)  #: layer
head = torch.nn.Linear(8, 12)  #: layer
reference = torch.randn(2, 4)
answers = torch.randint(0, 12, (2, 5))
optimizer = torch.optim.AdamW([*embedding.parameters(), *head.parameters()], lr=1e-3)
for _ in range(2):
    h = torch.tanh(embedding(answers[:, :-1]))  #: hidden
    logits = head(h)  #: hidden
    spoken = selective_log_softmax(logits, answers[:, 1:])  #: hidden
    chosen, rejected = (spoken - reference).sum(-1)
    loss = -torch.nn.functional.logsigmoid(0.1 * (chosen - rejected))  #: loss
    optimizer.zero_grad()
    loss.backward()  #: backward
    optimizer.step()
gradients = {"embedding": embedding.weight.grad, "head": head.weight.grad}
