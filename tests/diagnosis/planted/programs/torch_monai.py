"""Segmentation of a small volume by MONAI's U-Net and its Dice loss."""

import torch
from monai.losses import DiceCELoss
from monai.networks.nets import UNet

REQUIRES = ["monai", "torch"]

torch.manual_seed(0)
image = torch.rand(1, 1, 16, 16)  #: data
labels = (image > 0.6).long()
model = UNet(spatial_dims=2, in_channels=1, out_channels=2, channels=(4, 8, 8), strides=(2, 2), num_res_units=1)
criterion = DiceCELoss(to_onehot_y=True, softmax=True)
optimizer = torch.optim.Adam(model.parameters(), 1e-3)
model.train()
for _ in range(2):
    optimizer.zero_grad()
    outputs = model(image)  #: hidden
    loss = criterion(outputs, labels)  #: loss
    loss.backward()  #: backward
    optimizer.step()
gradients = {name: each.grad for name, each in model.named_parameters()}
