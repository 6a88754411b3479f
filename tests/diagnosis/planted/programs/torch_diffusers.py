"""A denoising step of a small UNet of diffusers, with random weights and its own noise schedule."""

import torch
from diffusers import DDPMScheduler, UNet2DModel

REQUIRES = ["diffusers", "torch"]

torch.manual_seed(0)
net = UNet2DModel(
    sample_size=8,
    in_channels=1,
    out_channels=1,
    layers_per_block=1,
    block_out_channels=(8, 16),
    norm_num_groups=4,
    down_block_types=("DownBlock2D", "DownBlock2D"),
    up_block_types=("UpBlock2D", "UpBlock2D"),
)
schedule = DDPMScheduler(num_train_timesteps=20)
pictures = torch.randn(2, 1, 8, 8)  #: data
noise = torch.randn(2, 1, 8, 8)  #: target
steps = torch.tensor([3, 11])
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4)
noisy = schedule.add_noise(pictures, noise, steps)
predicted = net(noisy, steps).sample  #: hidden
loss = torch.nn.functional.mse_loss(predicted, noise)  #: loss
loss.backward()  #: backward
optimizer.step()
gradients = {name: weight.grad for name, weight in net.named_parameters()}
