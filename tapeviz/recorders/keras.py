"""Keras, if the program has imported it -> the backend that it runs on, its layers, and what they call their parts."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from types import CodeType
from typing import Any

from tapeviz.events.attrs import Attrs
from tapeviz.events.program.frames import name_in_package
from tapeviz.events.program.inspection import is_a

VARIABLES = "_torch_params"
"""The attribute in which a layer of Keras on PyTorch keeps its variables, by the paths that Keras has for them."""
TRAINER = "keras/src/backend/torch/trainer.py"
"""The file of Keras' own training step on PyTorch, which asks for a gradient by reading `.grad`."""

LOSS = "loss"
"""What Keras' own training step calls what it differentiates."""


def in_keras(module: str, name: str) -> tuple[Any, ...]:
    """What a module of Keras' calls so, or nothing: a program may use a framework without Keras."""
    found = getattr(sys.modules.get(f"keras.src.{module}"), name, None)
    return () if found is None else (found,)


def runs_on(backend: str) -> bool:
    """Whether Keras computes with this framework; it imports others as well, as TensorFlow for its data."""
    return any(each() == backend for each in in_keras("backend.config", "backend"))


def scoped() -> Iterator[tuple[Any, str]]:
    """The functions that run a part with a name of its own: a class and the name of its method.

    A layer that runs without its state is called past its `__call__`.
    """
    for layer in in_keras("layers.layer", "Layer"):
        yield layer, "__call__"
        yield layer, "stateless_call"
    yield from ((loss, "__call__") for loss in in_keras("losses.loss", "Loss"))
    yield from ((loss, "__call__") for loss in in_keras("trainers.compile_utils", "CompileLoss"))


def is_layer(module: Any) -> bool:
    """Whether it is a layer or model of Keras'; on PyTorch each is a module, too."""
    return any(is_a(module, layer) for layer in in_keras("layers.layer", "Layer"))


def part_name(part: Any) -> str:
    """What a layer, a model or a loss is called; by its class where the user's `__init__` has not called Keras'."""
    return str(getattr(part, "name", None) or type(part).__name__)


def is_trainer(filename: str) -> bool:
    """Whether a file is that of Keras' training step on PyTorch."""
    return filename.endswith("trainer.py") and name_in_package(filename) == TRAINER


def is_layers_call(code: CodeType, caller: str) -> bool:
    """Whether a function that was called from a file is the `call` of a layer, which Keras called."""
    return code.co_name == "call" and (name_in_package(caller) or "").startswith("keras/src/")


def computes_loss(function: Any) -> bool:
    """Whether a function is the one that Keras' training step on JAX differentiates."""
    return str(getattr(function, "__module__", "")) == "keras.src.backend.jax.trainer"


def optimizers() -> tuple[Any, ...]:
    """The base class of Keras' optimizers."""
    return in_keras("optimizers.base_optimizer", "BaseOptimizer")


def changes(optimizer: Any, gradients: Sequence[Any], variables: Sequence[Any] | None) -> list[tuple[Any, Any]]:
    """What `apply` changes: each variable that has a gradient, and that; without a list, those it was built for."""
    listed = getattr(optimizer, "_trainable_variables", []) if variables is None else variables
    return [(each, gradient) for each, gradient in zip(listed, gradients, strict=False) if gradient is not None]


def slots(optimizer: Any, variable: Any) -> dict[str, Any]:
    """What an optimizer keeps of a variable besides the number of its steps: variables, by what they are called.

    Each kind of them is in a list in which the variables have their places.
    """
    trained = getattr(optimizer, "_trainable_variables", None) or []
    place = next((place for place, each in enumerate(trained) if each is variable), None)
    if place is None:
        return {}
    return {
        name.strip("_"): kept[place]
        for name, kept in vars(optimizer).items()
        if isinstance(kept, list) and len(kept) == len(trained) and kept is not trained and is_variable(kept[place])
    }


def is_variable(obj: Any) -> bool:
    """Whether an object is a variable of Keras': TensorFlow keeps lists of other things in an optimizer, too."""
    return hasattr(obj, "assign") and hasattr(obj, "shape")


def progress(optimizer: Any) -> tuple[float, int]:
    """The learning rate of an optimizer now, and how many steps it took."""
    rate, steps = (  # a variable with a copy on each device is no number by itself
        each.numpy() if is_variable(each) else each for each in (optimizer.learning_rate, optimizer.iterations)
    )
    return float(rate), int(steps)


def hyperparameters(optimizer: Any, variable: Any, rate: Any, steps: Any) -> Attrs:
    """The numbers by which an optimizer changes a variable; `rate` is its learning rate now, `steps` how many it took.

    Of what decays a variable may be left out; in a traced function symbols stand for `rate` and `steps`.
    """
    config = optimizer.get_config()
    decay = config.pop("weight_decay", None)
    decays = decay if decay and optimizer._use_weight_decay(variable) else 0.0
    known: dict[str, Any] = {name: each for name, each in config.items() if isinstance(each, (bool, int, float))}
    known |= {"library": "keras", "lr": rate, "step": steps, "weight_decay": decays}
    return tuple((name, each) for name, each in known.items() if name != "learning_rate")


def path_name(outer: str, path: str) -> str:
    """The name of a tensor at a path in a module called `outer`; for a variable of Keras' it is the path of Keras'.

    >>> path_name("net", "first.weight"), path_name("net", "_torch_params.dense/kernel")
    ('net.first.weight', 'dense/kernel')
    """
    name = f"{outer}.{path}" if outer and path else outer or path
    return name.partition(f"{VARIABLES}.")[2] or name
