"""A tiny GPT-2 with random weights and a head of one's own."""

import torch
from transformers import GPT2Config, GPT2Model

REQUIRES = ["transformers", "torch"]

torch.manual_seed(0)
config = GPT2Config(
    vocab_size=17, n_positions=8, n_embd=8, n_layer=1, n_head=2, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0
)
model = GPT2Model(config)
head = torch.nn.Linear(8, 17, bias=False)  #: layer
optimizer = torch.optim.AdamW([*model.parameters(), *head.parameters()], lr=1e-3)
tokens = torch.randint(0, 17, (2, 8))
states = model(tokens).last_hidden_state  #: hidden
states = states * 1.0
logits = head(states)  #: logits hidden
loss = torch.nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())  #: loss
optimizer.zero_grad()
loss.backward()  #: backward
optimizer.step()
gradients = {"words": model.wte.weight.grad, "fc": model.h[0].mlp.c_fc.weight.grad, "head": head.weight.grad}
