"""A model after its backward pass -> its parameters and their gradients as a log holds them; no recording sees it."""

from __future__ import annotations

from torch.nn import Module

from tapeviz.recorders.torch.grad_attribute import grad_of
from tapeviz.recorders.torch.values import HeldTorchTensor, unwatched


def own_gradients(model: Module) -> list[tuple[str, HeldTorchTensor, HeldTorchTensor | None]]:
    """Name, value and gradient of each parameter that has `requires_grad`, in the order of `named_parameters()`."""
    with unwatched():
        trained = [(name, each, grad_of(each)) for name, each in model.named_parameters() if each.requires_grad]
        return [
            (name, HeldTorchTensor(each), None if gradient is None else HeldTorchTensor(gradient))
            for name, each, gradient in trained
        ]
