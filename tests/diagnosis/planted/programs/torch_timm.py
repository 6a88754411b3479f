"""A tiny vision transformer of timm as a backbone, and a head of one's own."""

import timm
import torch

REQUIRES = ["timm", "torch"]

torch.manual_seed(0)
backbone = timm.create_model(
    "vit_tiny_patch16_224",
    pretrained=False,
    img_size=16,
    patch_size=8,
    embed_dim=12,
    depth=1,
    num_heads=2,
    num_classes=0,
)
head = torch.nn.Linear(12, 3)  #: layer
net = torch.nn.ModuleList([backbone, head])
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
images = torch.randn(2, 3, 16, 16)  #: data
labels = torch.tensor([0, 2])
features = backbone(images)  #: hidden
scaled = features * 0.5  #: hidden
logits = head(scaled)  #: logits hidden
loss = torch.nn.functional.cross_entropy(logits, labels)  #: loss
optimizer.zero_grad()
loss.backward()  #: backward
optimizer.step()
gradients = {"patches": backbone.patch_embed.proj.weight.grad, "head": head.weight.grad}
