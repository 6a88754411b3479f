"""An image that is blurred and warped by kornia, to match another."""

import kornia
import torch

REQUIRES = ["kornia", "torch"]

torch.manual_seed(0)
target = torch.rand(1, 1, 8, 8)
image = torch.rand(1, 1, 8, 8)  #: data
angle = torch.tensor([5.0], requires_grad=True)  #: weight
scale = torch.tensor([[1.1, 0.9]], requires_grad=True)  #: weight
center = torch.tensor([[3.5, 3.5]])
warp = kornia.geometry.get_rotation_matrix2d(center, angle, scale)
warped = kornia.geometry.warp_affine(image, warp, (8, 8))  #: hidden
blurred = kornia.filters.gaussian_blur2d(warped, (3, 3), (1.0, 1.0))  #: hidden
loss = (blurred - target).pow(2).mean()  #: loss
loss.backward()  #: backward
gradients = {"angle": angle.grad, "scale": scale.grad}
