"""Lightning's own loop, for two steps."""

import lightning
import torch

REQUIRES = ["lightning", "torch"]


class Classifier(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(4, 8)  #: layer
        self.head = torch.nn.Linear(8, 3)
        self.kept = {}

    def training_step(self, batch, index):
        x, labels = batch
        h = torch.tanh(self.body(x))  #: hidden
        logits = self.head(h)  #: hidden logits
        loss = torch.nn.functional.cross_entropy(logits, labels)  #: loss
        return loss

    def on_after_backward(self):
        self.kept = {name: None if each.grad is None else each.grad.clone() for name, each in self.named_parameters()}

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=1e-2)


torch.manual_seed(0)
net = Classifier()
items = torch.utils.data.TensorDataset(torch.randn(8, 4), torch.randint(0, 3, (8,)))
trainer = lightning.Trainer(
    max_epochs=1,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
trainer.fit(net, torch.utils.data.DataLoader(items, batch_size=4))
gradients = net.kept
