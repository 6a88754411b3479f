"""LoRA on two layers of a small net, whose own weights stay frozen."""

import torch
from peft import LoraConfig, get_peft_model

REQUIRES = ["peft", "torch"]


class Base(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(4, 8)
        self.last = torch.nn.Linear(8, 3)

    def forward(self, x):
        h = torch.tanh(self.first(x))  #: hidden
        return self.last(h)


torch.manual_seed(0)
config = LoraConfig(r=2, target_modules=["first", "last"], init_lora_weights=False)
net = get_peft_model(Base(), config)
optimizer = torch.optim.AdamW([each for each in net.parameters() if each.requires_grad], lr=1e-3)
x = torch.randn(5, 4)  #: data
labels = torch.tensor([0, 1, 2, 0, 1])
for _ in range(2):
    optimizer.zero_grad()
    logits = net(x)  #: logits hidden
    loss = torch.nn.functional.cross_entropy(logits, labels)  #: loss
    loss.backward()  #: backward
    optimizer.step()
gradients = {name: each.grad for name, each in net.named_parameters() if each.requires_grad}
