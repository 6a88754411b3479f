"""A tiny Llama with random weights; its own loss, weighted by the program."""

import torch
from transformers import LlamaConfig, LlamaForCausalLM

REQUIRES = ["transformers", "torch"]

torch.manual_seed(0)
config = LlamaConfig(
    vocab_size=17,
    hidden_size=8,
    intermediate_size=16,
    num_hidden_layers=1,
    num_attention_heads=2,
    max_position_embeddings=8,
)
net = LlamaForCausalLM(config)
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
tokens = torch.randint(0, 17, (2, 8))
for _ in range(2):
    optimizer.zero_grad()
    logits = net(input_ids=tokens).logits  #: logits hidden
    log_probabilities = torch.log_softmax(logits[:, :-1], dim=-1)  #: hidden
    chosen = log_probabilities.gather(-1, tokens[:, 1:, None]).squeeze(-1)  #: hidden
    loss = -chosen.mean()  #: loss
    loss.backward()  #: backward
    optimizer.step()
gradients = {name: weight.grad for name, weight in net.named_parameters()}
