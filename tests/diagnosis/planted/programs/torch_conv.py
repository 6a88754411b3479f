"""A small convolutional net on images, one step of SGD."""

import torch
from torch import nn

REQUIRES = ["torch"]


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, padding=1)  #: layer
        self.conv2 = nn.Conv2d(4, 8, 3, padding=1)
        self.fc = nn.Linear(8, 3)

    def forward(self, images):
        maps = torch.nn.functional.silu(self.conv1(images))  #: hidden
        maps = torch.nn.functional.avg_pool2d(maps, 2)
        maps = torch.tanh(self.conv2(maps))  #: hidden
        pooled = maps.mean(dim=(2, 3))  #: hidden
        return self.fc(pooled)


torch.manual_seed(0)
images = torch.randn(4, 1, 8, 8)  #: data
labels = torch.tensor([0, 1, 2, 1])
net = ConvNet()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for _ in range(2):
    optimizer.zero_grad()
    logits = net(images)  #: logits hidden
    loss = nn.CrossEntropyLoss()(logits, labels)  #: loss
    loss.backward()  #: backward
    optimizer.step()
gradients = {name: weight.grad for name, weight in net.named_parameters()}
