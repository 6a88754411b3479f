"""Small programs on what a layer owns: in attributes, lists and dicts that change, told as names of weights."""

from __future__ import annotations

import copy
import pickle
from collections import OrderedDict, namedtuple

import numpy as np

X = np.float32([[0.5, -1.0, 2.0], [1.5, 0.2, -0.3]])


def _owner(tf, **held):
    """A layer with these in its attributes, not yet built."""
    layer = tf.keras.layers.Layer(name="own")
    for name, value in held.items():
        setattr(layer, name, value)
    return layer


def _dense(tf, name, **others):
    layer = tf.keras.layers.Dense(1, name=name, **others)
    layer.build((None, 3))
    return layer


def _told(layer):
    """The paths of its weights, and which of them are trained."""
    return [each.path for each in layer.weights], [each.path for each in layer.trainable_weights]


def _steps(tf, layer, *changes):
    """What it owns at the start and after each change; of one that is refused, the class of the error."""
    seen = [_told(layer)]
    for change in changes:
        try:
            change(layer)
        except Exception as error:
            seen.append(type(error).__name__)
        seen.append(_told(layer))
    return seen


def attributes_in_their_order(tf):
    layer = _owner(tf, b=_dense(tf, "b"), v=tf.keras.Variable([1.0], name="v"), a=_dense(tf, "a"), n=None, k=3)
    layer.u = tf.keras.Variable([1.0], name="u", trainable=False)
    layer.w = tf.keras.Variable([1.0], name="w")
    return _steps(tf, layer, lambda own: own.add_weight(shape=(), name="added"))


def attributes_set_anew(tf):
    layer = _owner(tf, a=None, b=_dense(tf, "b"))
    return _steps(
        tf,
        layer,
        lambda own: setattr(own, "a", _dense(tf, "a")),
        lambda own: setattr(own, "b", own.b),
        lambda own: setattr(own, "c", own.b),
        lambda own: setattr(own, "b", None),
        lambda own: setattr(own, "c", None),
        lambda own: setattr(own, "a", _dense(tf, "other")),
    )


def attributes_deleted(tf):
    layer = _owner(tf, a=_dense(tf, "a"), b=_dense(tf, "b"), v=tf.keras.Variable([1.0], name="v"), k=[_dense(tf, "k")])
    layer.twice = layer.b
    return _steps(
        tf,
        layer,
        lambda own: delattr(own, "a"),
        lambda own: delattr(own, "b"),
        lambda own: delattr(own, "v"),
        lambda own: delattr(own, "k"),
        lambda own: delattr(own, "nothing"),
    )


def lists_that_change(tf):
    layer = _owner(tf, many=[_dense(tf, "a"), _dense(tf, "b")], after=_dense(tf, "z"))
    return _steps(
        tf,
        layer,
        lambda own: own.many.append(_dense(tf, "c")),
        lambda own: own.many.insert(0, _dense(tf, "d")),
        lambda own: own.many.extend([_dense(tf, "e"), _dense(tf, "f")]),
        lambda own: own.many.pop(),
        lambda own: own.many.remove(own.many[0]),
        lambda own: own.many.__delitem__(0),
        lambda own: own.many.__setitem__(0, _dense(tf, "g")),
        lambda own: own.many.reverse(),
        lambda own: own.many.sort(key=lambda each: each.name),
        lambda own: own.many.__iadd__([_dense(tf, "h")]),
        lambda own: own.many.__setitem__(slice(0, 2), [_dense(tf, "i")]),
        lambda own: own.many.append([_dense(tf, "j"), (_dense(tf, "l"),)]),
        lambda own: own.many[-1].append(_dense(tf, "m")),
        lambda own: own.many.clear(),
    )


def dicts_that_change(tf):
    layer = _owner(tf, many={"a": _dense(tf, "a"), "b": _dense(tf, "b")})
    return _steps(
        tf,
        layer,
        lambda own: own.many.update(c=_dense(tf, "c")),
        lambda own: own.many.update({"d": _dense(tf, "d")}),
        lambda own: own.many.__setitem__("a", _dense(tf, "e")),
        lambda own: own.many.pop("b"),
        lambda own: own.many.pop("b"),
        lambda own: own.many.__delitem__("c"),
        lambda own: own.many.setdefault("f", _dense(tf, "f")),
        lambda own: own.many.__ior__({"g": _dense(tf, "g")}),
        lambda own: own.many.popitem(),
        lambda own: own.many.__setitem__("h", [_dense(tf, "h")]),
        lambda own: own.many.clear(),
    )


def sets_that_change(tf):
    a, b, c = (_dense(tf, name) for name in "abc")
    layer = _owner(tf, many={a})
    return _steps(
        tf,
        layer,
        lambda own: own.many.add(b),
        lambda own: own.many.update([c]),
        lambda own: own.many.remove(a),
        lambda own: own.many.discard(b),
        lambda own: own.many.pop(),
        lambda own: own.many.add(b),
        lambda own: own.many.clear(),
    )


def lists_of_variables(tf):
    one, two = tf.keras.Variable([1.0], name="one"), tf.keras.Variable([2.0], name="two", trainable=False)
    layer = _owner(tf, many=[one], pair=(two, 3), empty=[])
    return _steps(
        tf,
        layer,
        lambda own: own.many.append(tf.keras.Variable([3.0], name="three")),
        lambda own: own.empty.append(_dense(tf, "a")),
        lambda own: own.many.pop(0),
        lambda own: setattr(own, "many", []),
    )


def lists_stay_lists(tf):
    layer = _owner(tf, many=[1, 2], named={"a": 1}, pair=(1, [2]), several={3})
    layer.many += [3]
    return [
        *(isinstance(value, kind) for value, kind in ((layer.many, list), (layer.named, dict), (layer.several, set))),
        [type(value).__name__ for value in (layer.many, layer.named, layer.several, layer.pair)],
        layer.many == [1, 2, 3],
        layer.named == {"a": 1},
        layer.pair == (1, [2]),
        repr(layer.many),
        repr(layer.named),
        (layer.many + [4])[1:],  # noqa: RUF005  # the list that adding makes
        type(layer.many[:1]).__name__,
        copy.copy(layer.many) == layer.many,
        [*layer.named.items()],
        tf.nest.flatten([layer.many, layer.named, layer.pair]),
        tf.nest.map_structure(abs, [layer.many, layer.named, layer.pair]),
    ]


def ordered_dicts_stay_in_order(tf):
    layer = _owner(tf, many=OrderedDict(b=_dense(tf, "b"), a=_dense(tf, "a")))
    layer.many.move_to_end("b")
    order = list(layer.many)
    changes = (
        lambda own: own.many.__setitem__("c", _dense(tf, "c")),
        lambda own: own.many.popitem(last=False),
        lambda own: own.many.update({"d": _dense(tf, "d")}),
        lambda own: own.many.clear(),
    )
    return [order, type(layer.many).__name__, isinstance(layer.many, OrderedDict), _steps(tf, layer, *changes)]


def named_tuples_stay_what_they_are(tf):
    Pair = namedtuple("Pair", "layer number")
    layer = _owner(tf, pair=Pair([_dense(tf, "a")], 3))
    return [type(layer.pair).__name__, layer.pair.number, _steps(tf, layer, lambda own: own.pair.layer.pop())]


def a_list_is_copied_when_it_is_set(tf):
    many = [_dense(tf, "a")]
    layer = _owner(tf, many=many)
    many.append(_dense(tf, "b"))
    return [_told(layer), layer.many is many, len(layer.many)]


def a_list_in_two_layers(tf):
    one, two = _owner(tf, many=[_dense(tf, "a")]), _owner(tf)
    two.many = one.many
    two.many.append(_dense(tf, "b"))
    one.many.append(_dense(tf, "c"))
    return [_told(one), _told(two), len(one.many), len(two.many)]


def nothing_is_added_once_it_is_built(tf):
    def built(**held):
        layer = _owner(tf, **held)
        layer.build((None, 3))
        return layer

    known = _dense(tf, "a")
    layer = built(a=known, many=[_dense(tf, "b")], named={"c": _dense(tf, "c")}, empty=[])
    return _steps(
        tf,
        layer,
        lambda own: setattr(own, "new", _dense(tf, "d")),
        lambda own: setattr(own, "again", known),
        lambda own: setattr(own, "all", [known, own.many[0]]),
        lambda own: own.many.append(_dense(tf, "e")),
        lambda own: own.many.append(known),
        lambda own: own.empty.append(_dense(tf, "e")),
        lambda own: own.named.update(f=_dense(tf, "f")),
        lambda own: setattr(own, "list", [_dense(tf, "g")]),
        lambda own: setattr(own, "v", tf.keras.Variable([1.0], name="v")),
        lambda own: own.many.pop(),
        lambda own: setattr(own, "a", None),
        lambda own: delattr(own, "a"),
        lambda own: own.add_weight(shape=(), name="late"),
    )


def _dense1(tf, name):
    return tf.keras.layers.Dense(1, name=name)


def frozen_at_any_depth(tf):
    inner = tf.keras.Sequential([tf.keras.Input((3,)), _dense1(tf, "deep"), _dense1(tf, "top")], name="inner")
    layer = _owner(tf, inner=inner, many=[_dense(tf, "listed")])
    return _steps(
        tf,
        layer,
        lambda own: setattr(own.inner.layers[0], "trainable", False),
        lambda own: setattr(own.inner, "trainable", False),
        lambda own: setattr(own.inner, "trainable", True),
        lambda own: setattr(own.many[0].kernel, "trainable", False),
        lambda own: setattr(own, "trainable", False),
        lambda own: own.many.append(_dense(tf, "late")),
        lambda own: setattr(own.inner.layers[1], "trainable", True),
        lambda own: setattr(own, "trainable", True),
    )


def frozen_before_they_are_built(tf):
    layer = _owner(tf, a=_dense1(tf, "a"), many=[_dense1(tf, "b")])
    layer.trainable = False
    layer.c = _dense1(tf, "c")
    for each in (layer.a, layer.many[0], layer.c):
        each.build((None, 3))
    return _steps(tf, layer, lambda own: setattr(own, "trainable", True))


def built_late(tf):
    layer = _owner(tf, a=_dense1(tf, "a"), many=[_dense1(tf, "b")], c=_dense1(tf, "c"))
    return _steps(
        tf,
        layer,
        lambda own: own.c(tf.constant(X)),
        lambda own: own.many[0].build((None, 3)),
        lambda own: own.a(tf.constant(X)),
    )


def layers_shared_by_two(tf):
    shared = _dense(tf, "shared")
    one = _owner(tf, a=_dense(tf, "a"), s=shared)
    both = _owner(tf, s=[shared, shared], one=one, again={"x": one})
    return _steps(
        tf,
        both,
        lambda own: setattr(own.one, "trainable", False),
        lambda own: setattr(own.s[1], "trainable", True),
        lambda own: own.s.pop(),
        lambda own: own.s.pop(),
    )


def weights_replaced(tf):
    layer = _dense(tf, "d")
    first = layer.bias
    seen = _steps(
        tf,
        layer,
        lambda own: setattr(own, "bias", tf.keras.Variable([1.0], name="other")),
        lambda own: setattr(own, "bias", None),
        lambda own: setattr(own, "bias", first),
    )
    return [seen, layer.bias is first]


def weights_replaced_while_it_is_made(tf):
    layer = _owner(tf)
    layer.w = layer.add_weight(shape=(), name="w")
    return _steps(
        tf,
        layer,
        lambda own: setattr(own, "w", tf.keras.Variable(1.0, name="other")),
        lambda own: delattr(own, "w"),
        lambda own: setattr(own, "w", own.add_weight(shape=(), name="third", trainable=False)),
        lambda own: delattr(own, "w"),
    )


def models_own_what_is_added_later(tf):
    class Tower(tf.keras.Model):
        def __init__(self):
            super().__init__(name="tower")
            self.blocks = []
            for name in "ab":
                self.blocks.append(tf.keras.layers.Dense(3, name=name))
            self.heads = {}
            self.heads["out"] = tf.keras.layers.Dense(1, name="out")

        def call(self, x):
            for block in self.blocks:
                x = block(x)
            return self.heads["out"](x)

    model = Tower()
    before = [each.name for each in model.layers]
    model(tf.constant(X))
    return [
        before,
        _steps(
            tf,
            model,
            lambda own: own.blocks.append(tf.keras.layers.Dense(3, name="c")),
            lambda own: own.blocks.pop(),
            lambda own: setattr(own, "spare", tf.keras.layers.Dense(3, name="d")),
        ),
        [each.name for each in model.layers],
    ]


def sequences_grow_and_shrink(tf):
    model = tf.keras.Sequential([tf.keras.Input((3,)), _dense1(tf, "a")], name="s")
    outer = _owner(tf, model=model)
    return _steps(
        tf,
        outer,
        lambda own: own.model.add(_dense1(tf, "b")),
        lambda own: setattr(own.model.layers[0], "trainable", False),
        lambda own: own.model.pop(),
        lambda own: setattr(own.model, "extra", _dense(tf, "extra")),
        lambda own: setattr(own.model, "v", tf.keras.Variable([1.0], name="v")),
    )


def graphs_and_attributes(tf):
    place = tf.keras.Input((3,))
    model = tf.keras.Model(place, _dense1(tf, "b")(_dense1(tf, "a")(place)), name="drawn")
    return _steps(
        tf,
        model,
        lambda own: setattr(own, "extra", _dense(tf, "extra")),
        lambda own: setattr(own, "v", tf.keras.Variable([1.0], name="v")),
        lambda own: setattr(own.layers[1], "trainable", False),
    )


def drawn_in_a_class_of_ones_own(tf):
    class Drawn(tf.keras.Model):
        def __init__(self):
            self.early = _dense1(tf, "early")
            first = _dense1(tf, "first")
            place = tf.keras.Input((3,))
            super().__init__(place, self.early(first(place)), name="drawn")
            self.first, self.late = first, _dense(tf, "late")
            self.many = [_dense(tf, "listed")]

    model = Drawn()
    return [_steps(tf, model, lambda own: own.many.append(_dense(tf, "more"))), [each.name for each in model.layers]]


def pickled_layers_own_their_own(tf):
    model = tf.keras.Sequential([tf.keras.Input((3,)), _dense1(tf, "a"), _dense1(tf, "b")], name="s")
    model.layers[0].trainable = False
    twin = pickle.loads(pickle.dumps(model))
    frozen = [each.trainable for each in twin.weights]
    twin.layers[0].trainable = True
    twin.add(_dense1(tf, "c"))
    trained = [len(each.trainable_weights) for each in (twin, model)]
    return [frozen, trained, any(twin.layers[0].kernel is each for each in twin.weights)]


def clones_own_their_own(tf):
    model = tf.keras.Sequential([tf.keras.Input((3,)), _dense1(tf, "a"), _dense1(tf, "b")], name="s")
    twin = tf.keras.models.clone_model(model)
    twin.layers[0].trainable = False
    twin.add(_dense1(tf, "c"))
    return [_told(twin)[1], _told(model)[1]]


def wrapped_layers_are_owned(tf):
    layer = tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(2, name="l"), name="w")
    layer.build((None, 4, 3))
    return _steps(
        tf,
        layer,
        lambda own: setattr(own.forward_layer, "trainable", False),
        lambda own: setattr(own, "trainable", False),
        lambda own: setattr(own, "trainable", True),
    )


def weights_are_a_list_of_ones_own(tf):
    layer = _dense(tf, "d")
    layer.weights.clear()
    layer.trainable_variables.append(3)
    layer.trainable_weights.pop()
    return [_told(layer), len(layer.trainable_variables)]


def before_the_start(tf):
    class Early(tf.keras.layers.Layer):
        def __init__(self):
            self.early = _dense(tf, "early")
            self.many = [_dense(tf, "listed")]
            super().__init__(name="own")
            self.late = _dense(tf, "late")

    return _steps(tf, Early(), lambda own: own.many.append(_dense(tf, "more")))


def other_things_are_not_owned(tf):
    layer = _owner(tf, v=tf.Variable(1.0), t=tf.constant(1.0), o=tf.keras.optimizers.SGD(0.1), f=abs)
    return _told(layer)


def added_losses_own_nothing(tf):
    other = tf.keras.Variable(1.0, name="other")

    class Lossy(tf.keras.layers.Layer):
        def call(self, x):
            self.add_loss(other * 2.0)
            return x

    layer = Lossy(name="own")
    layer(tf.constant(X))
    return [_told(layer), len(layer.losses)]


def _mean(tf, name):
    return tf.keras.metrics.Mean(name=name)


def _names_after(tf, layer, *changes):
    seen = []
    for change in changes:
        try:
            change(layer)
        except Exception as error:
            seen.append(type(error).__name__)
        seen.append([each.name for each in layer.metrics])
    return seen


def metrics_in_attributes(tf):
    layer = _owner(tf, many=[], pair=(_mean(tf, "in a tuple"),), named={"x": [_mean(tf, "in a dict")]})
    return _names_after(
        tf,
        layer,
        lambda own: own.many.append(_mean(tf, "a")),
        lambda own: own.many.extend([_mean(tf, "b"), _mean(tf, "c")]),
        lambda own: own.many.pop(0),
        lambda own: own.many.remove(own.many[0]),
        lambda own: own.many.clear(),
        lambda own: setattr(own, "one", _mean(tf, "one")),
        lambda own: delattr(own, "one"),
        lambda own: setattr(own, "metrics", []),
        lambda own: own.build((None, 3)),
        lambda own: setattr(own, "late", _mean(tf, "late")),
    )


def metrics_of_layers_inside(tf):
    class Told(tf.keras.layers.Layer):
        def __init__(self, name):
            super().__init__(name=name)
            self.means = [_mean(tf, f"of {name}")]

        def call(self, x):
            self.means[0].update_state(x)
            return x

    place = tf.keras.Input((3,))
    model = tf.keras.Model(place, _dense1(tf, "d")(Told("t")(place)))
    seen = [[each.name for each in model.metrics]]
    model.compile("sgd", "mse", metrics=["mae"])
    history = model.fit(X, np.ones((2, 1), np.float32), verbose=0).history
    return [
        *seen,
        [each.name for each in model.metrics],
        [each.path for each in model.layers[1].metrics_variables],
        sorted(history),
        float(history["of t"][0]),
        [len(model.variables), len(model.metrics_variables)],
    ]


def metrics_of_models_inside(tf):
    class Own(tf.keras.Model):
        def __init__(self, name, inner=None):
            super().__init__(name=name)
            self.inner, self.dense, self.kept = inner, _dense1(tf, "d"), {"m": _mean(tf, f"of {name}")}

    inner = Own("inner")
    inner.compile("sgd", "mse", metrics=["mae"])
    outer = Own("outer", inner)
    outer.compile("sgd", "mse")
    outer.kept["m"].update_state(3.0)
    inner.kept["m"].update_state(3.0)
    outer.reset_metrics()
    names = [[each.name for each in own.metrics] for own in (inner, outer, _owner(tf, outer=outer))]
    return [names, float(inner.kept["m"].result()), float(outer.kept["m"].result())]


def a_copy_has_weights_of_its_own(tf):
    layer = _dense(tf, "d")
    twin = copy.copy(layer)
    return [twin.kernel is layer.kernel, _told(twin), np.allclose(twin.kernel, layer.kernel)]


def names_of_variables_of_tensorflow_in_layers(tf):
    class Scaled(tf.keras.layers.Layer):
        def __init__(self, **options):
            super().__init__(**options)
            self.given = tf.Variable(1.0, name="given")

        def build(self, shape):
            self.scale = tf.Variable(tf.ones(shape[-1]), name="scale")

        def call(self, x):
            return x * self.scale * self.given

    class Whole(tf.keras.Model):
        def __init__(self):
            super().__init__(name="whole")
            self.inner = Scaled(name="inner")

        def call(self, x):
            return self.inner(x)

    x, alone, whole = tf.ones((1, 2)), Scaled(name="alone"), Whole()
    with tf.name_scope("outside"):
        alone(x)
    whole(x)
    stacked = tf.keras.Sequential([Scaled(name="first")], name="stack")
    stacked(x)
    built = Scaled(name="built")
    built.build((1, 2))
    return [layer.scale.name for layer in (alone, whole.inner, stacked.layers[0], built)] + [alone.given.name]
