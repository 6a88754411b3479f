"""A LightningModule whose training step is called by a loop of one's own."""

import lightning
import torch

REQUIRES = ["lightning", "torch"]


class Regressor(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(4, 8)  #: layer
        self.head = torch.nn.Linear(8, 1)  #: layer

    def training_step(self, batch, index):
        x, y = batch
        h = torch.nn.functional.softplus(self.body(x))  #: hidden
        prediction = self.head(h)  #: hidden
        loss = torch.nn.functional.mse_loss(prediction, y)  #: loss
        return loss

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=1e-2)
        return optimizer


torch.manual_seed(0)
net = Regressor()
x = torch.randn(6, 4)  #: data
y = torch.randn(6, 1)  #: target
optimizer = net.configure_optimizers()
for index in range(2):
    loss = net.training_step((x, y), index)
    optimizer.zero_grad()
    loss.backward()  #: backward
    optimizer.step()
gradients = {name: weight.grad for name, weight in net.named_parameters()}
