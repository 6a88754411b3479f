"""A small language model of x-transformers, by its own wrapper for next words."""

import torch
from x_transformers import AutoregressiveWrapper, Decoder, TransformerWrapper

REQUIRES = ["x-transformers", "torch"]

torch.manual_seed(0)
layers = Decoder(dim=16, depth=2, heads=2, rotary_pos_emb=True)
model = AutoregressiveWrapper(TransformerWrapper(num_tokens=20, max_seq_len=16, attn_layers=layers))
tokens = torch.randint(0, 20, (2, 12))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(2):
    optimizer.zero_grad()
    loss = model(tokens)  #: loss
    loss.backward()  #: backward
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
gradients = {name: each.grad for name, each in model.named_parameters()}
