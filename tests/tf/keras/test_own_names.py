"""The names of attributes and methods are the user's: what Keras' classes have not, ours have under `_reserved_` names.

As in Python's `Enum`: such a name begins and ends with one underscore, which nobody's own does.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapeviz
from tests.sampling import quarter
from tests.tf.keras.comparison import assert_agreement

pytestmark = pytest.mark.tensorflow
RESERVED = re.compile(r"_[a-z]\w*[a-z0-9]_|__\w+__")
GROUPS = (
    "layers", "losses", "metrics", "callbacks", "constraints", "regularizers", "initializers", "optimizers",
    "optimizers.schedules",
)  # fmt: skip
STANDING = {
    "Optimizer": {"minimize"},  # which says that Keras 3 has none
    "CallbackList": {"append", "tell", "_called"},  # nobody's class is derived from it
    "InputSpec": {"misfit", "_fits"},  # nor from this
    "Cropping1D": {"data_format"},  # what their kin have as an argument
    "SpatialDropout1D": {"data_format"},
    "SimpleRNNCell": {"implementation"},
    "MultiHeadAttention": {"implementation"},
}
"""What stands beside what Keras has, of a class and of those derived from it."""
X = np.float32([[1.0, 2.0, 3.0], [0.5, -1.0, 0.0]])
Y = np.float32([[1.0], [-1.0]])


def objects(tf: Any) -> dict[str, Any]:
    """One object of a class of one's own, derived from each class that one derives from, after it was used."""
    k = tf.keras
    bare = {"call": lambda self, x: x}
    layer = type("OwnLayer", (k.layers.Layer,), bare)()
    model = type("OwnModel", (k.Model,), bare)()
    place = k.Input((3,))
    graph = k.Model(place, k.layers.Dense(1)(place))
    chain = k.Sequential([k.layers.Dense(1)])
    made = {"Layer": layer, "Model": model, "Functional": graph, "Sequential": chain}
    layer(X)
    for name, target in {"Model": X, "Functional": Y, "Sequential": Y}.items():
        made[name].compile("sgd", "mse", metrics=["mae"])
        made[name].fit(X, target, verbose=0)
        made[name].evaluate(X, target, verbose=0)
        made[name].predict(X, verbose=0)
    bases = {
        "Metric": k.metrics.Metric, "Loss": k.losses.Loss, "Callback": k.callbacks.Callback,
        "Constraint": k.constraints.Constraint, "Regularizer": k.regularizers.Regularizer,
        "Initializer": k.initializers.Initializer, "LearningRateSchedule": k.optimizers.schedules.LearningRateSchedule,
        "Module": tf.Module,
    }  # fmt: skip
    optimizer = type("OwnOptimizer", (k.optimizers.Optimizer,), {"update_step": lambda *given: None})(0.5)
    weight = tf.Variable(1.0)
    optimizer.apply_gradients([(tf.constant(1.0), weight)])
    metric = type("OwnMetric", (k.metrics.Metric,), {"update_state": lambda *given: None, "result": lambda self: 0.0})
    return (
        made
        | {name: type(f"Own{name}", (base,), {})() for name, base in bases.items() if name != "Metric"}
        | {"Optimizer": optimizer, "Metric": metric()}
    )


OURS: dict[str, Any] = {}
THEIRS: dict[str, Any] = {}


@pytest.fixture(scope="module", autouse=True)
def _made() -> None:
    import tensorflow

    OURS.update(objects(tapeviz))
    THEIRS.update(objects(tensorflow))


def unreserved(ours: Any, theirs: Any) -> set[str]:
    """The names of an object or a class that Keras' has not, and that are not of the reserved form."""
    kind = ours if isinstance(ours, type) else type(ours)
    standing = {name for each in kind.__mro__ for name in STANDING.get(each.__name__, ())}
    return {name for name in set(dir(ours)) - set(dir(theirs)) - standing if not RESERVED.fullmatch(name)}


KINDS = (
    "Layer", "Model", "Functional", "Sequential", "Metric", "Loss", "Optimizer", "Callback", "Constraint",
    "Regularizer", "Initializer", "LearningRateSchedule", "Module",
)  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_what_keras_objects_have_not_is_reserved(name: str) -> None:
    assert not unreserved(OURS[name], THEIRS[name])


def classes() -> list[tuple[str, str]]:
    found = []
    for group in GROUPS:
        module: Any = tapeviz.keras
        for part in group.split("."):
            module = getattr(module, part)
        found += [(group, name) for name in sorted(module.__all__) if isinstance(getattr(module, name, None), type)]
    return found


@pytest.mark.parametrize(("group", "name"), quarter(classes()))
def test_what_keras_classes_have_not_is_reserved(group: str, name: str) -> None:
    import tensorflow

    ours, theirs = tapeviz.keras, tensorflow.keras
    for part in (*group.split("."), name):
        ours, theirs = getattr(ours, part), getattr(theirs, part)
    known: set[str] = set()  # attributes that Keras' objects get when they are made, are their arguments most often
    for each in theirs.__mro__:
        source = inspect.getsource(each) if each.__module__.startswith("keras.") else ""
        known |= set(inspect.signature(theirs).parameters) | set(re.findall(r"self\.(\w+)[\w., ]* =", source))
    assert not unreserved(ours, theirs) - known


OWN = """
    graph kind sublayers slots settings module placed placements rule begin spreads state kept hooks draw fill shape
    noise parts sides op built_for seen_shape inputs outputs output_shape chain steps memory
    own scores counts beside_config computes_shape makes_masks settles specs_of is_sequence tells_layers _add _apply
    _average _averages _build_for _chain _change _check _counted _decayed _direction _draw _dtype _entering _flat _graph
    _graphs _held _hooks _keep _learning _made_with _memory _once _open _outputs _over _own _penalty _rate _reduced _run
    _scope_name _scored _specs _step _steps _symbolic _taken _tell _tested _told_loss _trained _variable _waits
"""
"""Names that a user may well think of; `input_shape` and `output_names` are none that Keras itself leaves alone."""
VALUES: dict[str, Callable[[Any], Any]] = {
    "a list": lambda tf: [1, 2],
    "a word": lambda tf: "mean",
    "a dict": lambda tf: {"a": 1},
    "a variable": lambda tf: tf.Variable(1.0, trainable=False),
}


def free(base: Any) -> list[str]:
    """Those of the names that objects of Keras' class do not have."""
    taken = dir(next(THEIRS[each.__name__] for each in base.__mro__ if each.__name__ in THEIRS))
    return [name for name in OWN.split() if name not in taken]


def with_attributes(base: Any, body: dict[str, Any], make: Callable[[], Any]) -> Any:
    """A class whose objects have a value under each of the names."""

    def start(self: Any, *args: Any, **kwargs: Any) -> None:
        if base.__init__ is not object.__init__:
            base.__init__(self, *args, **kwargs)
        for name in free(base):
            setattr(self, name, make())

    return type("Own", (base,), body | {"__init__": start})


def with_methods(base: Any, body: dict[str, Any]) -> Any:
    """A class that has a method under each of the names, of no use to anybody else."""

    def method(self: Any, of_ones_own: str) -> str:
        raise AssertionError

    return type("Own", (base,), dict.fromkeys(free(base), method) | body)


def of_models(tf: Any, derived: Callable[[Any, dict[str, Any]], Any]) -> list[Any]:
    k = tf.keras
    layer = derived(k.layers.Layer, {"call": lambda self, x: 2.0 * x})
    net = derived(k.Model, {"call": lambda self, x: self.last(self.first(x))})()
    net.first, net.last = layer(), k.layers.Dense(1, kernel_initializer="ones")
    found = [layer()(X), layer()(k.Input((3,))).shape, layer().name[:3], net(X)]
    place = k.Input((3,))
    chain = derived(k.Sequential, {})([layer(), k.layers.Dense(1, kernel_initializer="ones")])
    for model in (net, chain, k.Model(place, k.layers.Dense(1, kernel_initializer="ones")(layer()(place)))):
        model.compile(
            derived(k.optimizers.Optimizer, {"update_step": update_step})(0.1),
            derived(k.losses.Loss, {"call": lambda self, y, p: tf.reduce_mean(tf.square(y - p), axis=-1)})(),
            metrics=[k.metrics.MeanAbsoluteError()],
            run_eagerly=True,  # names are what they are in a graph too, which Keras takes long to trace
        )
        heard: list[int] = []
        callback = derived(k.callbacks.Callback, {"on_epoch_end": lambda self, epoch, logs, to=heard: to.append(epoch)})
        history = model.fit(X, Y, epochs=2, verbose=0, shuffle=False, callbacks=[callback()])
        found += [history.history, heard, model.evaluate(X, Y, verbose=0), model.predict(X, verbose=0)]
        found += [model.train_on_batch(X, Y), len(model.layers), len(model.trainable_weights)]
    return found


def update_step(self: Any, gradient: Any, variable: Any, learning_rate: Any) -> None:
    variable.assign_sub(learning_rate * gradient)


def of_the_rest(tf: Any, derived: Callable[[Any, dict[str, Any]], Any]) -> list[Any]:
    k = tf.keras
    initializer = derived(
        k.initializers.Initializer, {"__call__": lambda self, shape, dtype=None: tf.ones(shape, dtype)}
    )
    regularizer = derived(k.regularizers.Regularizer, {"__call__": lambda self, x: tf.reduce_sum(x)})
    constraint = derived(k.constraints.Constraint, {"__call__": lambda self, w: tf.abs(w)})
    rate = derived(k.optimizers.schedules.LearningRateSchedule, {"__call__": lambda self, step: 0.5})
    metric = derived(k.metrics.Metric, {"update_state": lambda self, x: None, "result": lambda self: 3.0})()
    adam, mean = derived(k.optimizers.Adam, {})(0.1), derived(k.metrics.Mean, {})()
    dense = k.layers.Dense(
        2, "tanh", True, initializer(), kernel_regularizer=regularizer(), kernel_constraint=constraint()
    )
    optimizer = k.optimizers.SGD(rate())
    with tf.GradientTape(persistent=True) as tape:
        loss = tf.reduce_sum(dense(tf.constant(X))) + sum(dense.losses)
    for each in (optimizer, adam):
        each.apply_gradients(zip(tape.gradient(loss, dense.trainable_weights), dense.trainable_weights, strict=True))
    mean.update_state([1.0, 2.0])
    metric.reset_state()
    module = derived(tf.Module, {})()
    return [loss, *dense.weights, metric(1), mean.result(), len(adam.variables), module.name, module.name_scope.name]


@pytest.mark.parametrize("used", [of_models, of_the_rest])
@pytest.mark.parametrize("value", VALUES)
def test_attributes_of_ones_own_are_in_nobodys_way(value: str, used: Callable[[Any, Any], Any]) -> None:
    assert_agreement(
        lambda tf: used(tf, lambda base, body: with_attributes(base, body, lambda: VALUES[value](tf))), fails=False
    )


@pytest.mark.parametrize("used", [of_models, of_the_rest])
def test_methods_of_ones_own_are_in_nobodys_way(used: Callable[[Any, Any], Any]) -> None:
    assert_agreement(lambda tf: used(tf, with_methods), fails=False)
