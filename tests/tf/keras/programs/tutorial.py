"""Programs as TensorFlow's guides and tutorials have them, made small, run in both frameworks."""

from __future__ import annotations

from functools import partial

import numpy as np

from tests.tf.keras.material import errors, filled, text

_numbers = np.random.RandomState(19)
PICTURES = _numbers.uniform(-1.0, 1.0, size=(4, 8, 8, 3)).astype(np.float32)
ROWS = _numbers.normal(size=(12, 6)).astype(np.float32)
LABELS = _numbers.randint(0, 3, size=12)
WORDS = np.array([[1, 2, 3, 0, 0], [4, 5, 6, 7, 0], [8, 1, 0, 0, 0]])


def _encoder(tf):
    """A layer of words as the tutorial of the transformer has it, and a block of it."""
    k = tf.keras.layers

    class Placed(k.Layer):
        def __init__(self):
            super().__init__()
            self.embedding = k.Embedding(10, 4, mask_zero=True)

        def compute_mask(self, *args, **kwargs):
            return self.embedding.compute_mask(*args, **kwargs)

        def call(self, x):
            x = self.embedding(x)
            x *= tf.math.sqrt(4.0)
            return x + tf.cast(tf.range(tf.shape(x)[1]), tf.float32)[tf.newaxis, :, tf.newaxis]

    class Attending(k.Layer):
        def __init__(self, **options):
            super().__init__()
            self.mha = k.MultiHeadAttention(num_heads=2, key_dim=4)
            self.layernorm, self.add, self.options = k.LayerNormalization(), k.Add(), options

        def call(self, x, context=None):
            context = x if context is None else context
            found = self.mha(query=x, key=context, value=context, **self.options)
            found, self.scores = found if isinstance(found, tuple) else (found, None)
            self.seen = [getattr(each, "_keras_mask", None) is not None for each in (x, context, found)]
            return self.layernorm(self.add([x, found]))

    return Placed(), Attending


def attention_forgets_masks(tf):
    """What was attended to has a mask no longer, so a sum with it has none; rows that see nothing see all alike."""
    placed, attending = _encoder(tf)
    blocks = [attending(), attending(use_causal_mask=True), attending(return_attention_scores=True)]
    for block in blocks:
        block(placed(WORDS))
    filled(placed)
    found = []
    for seed, block in enumerate(blocks):
        filled(block, seed)
        for words in (WORDS, WORDS[:, :3]):
            x = placed(words)
            y = block(x)
            found += [y, block.scores, block.seen, [getattr(each, "_keras_mask", None) is None for each in (x, y)]]
    across = filled(blocks[2])
    found += [across(placed(WORDS[:, :2]), placed(WORDS)), across.scores, across.seen]
    return found


def first_call_of_a_layer_with_attention(tf):
    """It is tried before it is built, and what it attends to there has no mask in the call itself."""
    placed, attending = _encoder(tf)
    x, block = placed(WORDS), attending()
    y = block(x)
    return [block.seen, getattr(x, "_keras_mask", None), list(y.shape)]


def training_said_at_the_call_site(tf):
    """What a model is told of training counts more than what was said where its layers were called."""

    class Says(tf.keras.layers.Layer):
        def call(self, x, training=None):
            return x * (2.0 if training else 0.0 if training is False else 1.0)

    x, found = np.ones((2, 2), np.float32), []
    for said in ({"training": True}, {"training": False}, {}):
        place, other = tf.keras.Input((2,)), tf.keras.Input((2,))
        model = tf.keras.Model(place, tf.keras.layers.ReLU()(Says()(place, **said)))
        model.compile("sgd", "mse")
        around = [model, tf.keras.Sequential([tf.keras.Input((2,)), model])]
        around += [tf.keras.Model(other, model(other, training=told)) for told in (True, False)]
        for each in around:
            found += [each(x), each(x, training=True), each(x, training=False)]
        found += [model.predict(x, verbose=0), model.evaluate(x, x, verbose=0)]
    return found


def transfer_with_frozen_statistics(tf):
    k = tf.keras.layers
    base = tf.keras.Sequential(
        [tf.keras.Input((8, 8, 3)), k.Conv2D(4, 3, padding="same"), k.BatchNormalization(), k.ReLU()], name="base"
    )
    base.trainable = False
    inputs = tf.keras.Input((8, 8, 3))
    x = base(k.Rescaling(scale=1 / 127.5, offset=-1)(inputs), training=False)
    model = filled(tf.keras.Model(inputs, k.Dense(1)(k.GlobalAveragePooling2D()(x)), name="top"))
    losses = []
    for tuned in (False, True):
        base.trainable = tuned
        model.compile(tf.keras.optimizers.Adam(1e-2), tf.keras.losses.BinaryCrossentropy(from_logits=True))
        losses.append(model.fit(PICTURES, LABELS[:4, None] > 0, shuffle=False, epochs=2, verbose=0).history)
    texts = [
        text(lambda write, how=how: model.summary(print_fn=write, **how)) for how in ({}, {"show_trainable": True})
    ]
    return [losses, texts, base.weights, len(model.trainable_weights)]


def summaries_of_models_in_models(tf):
    k = tf.keras.layers

    class Block(k.Layer):
        def __init__(self):
            super().__init__()
            self.dense = k.Dense(2)

        def call(self, x):
            return self.dense(x)

    class Told(Block):
        def compute_output_shape(self, input_shape):
            return (input_shape[0], 2)

    class Own(k.Dense):
        def __init__(self):
            super().__init__(3)

    inner = tf.keras.Sequential([tf.keras.Input((3,)), k.Dense(4, activation="relu"), k.Dropout(0.1)], name="inner")
    inner.trainable = False
    middle = tf.keras.Sequential([tf.keras.Input((3,)), inner, k.Dense(2)], name="middle")
    one, other = tf.keras.Input((3,), name="one"), tf.keras.Input((3,), name="other")
    branched = tf.keras.Model([one, other], k.Dense(1)(k.concatenate([middle(one), inner(other)])), name="branched")

    class Net(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.block, self.told, self.middle, self.own = Block(), Told(), middle, Own()

        def call(self, x):
            return self.own(self.block(x) + self.told(x) + self.middle(x))

    net = Net()
    net(np.ones((2, 3), np.float32))
    net.compile("adam", "mse")
    net.fit(np.ones((2, 3), np.float32), np.ones((2, 3), np.float32), verbose=0)
    return [
        text(lambda write, each=each, how=how: each.summary(print_fn=write, **how))
        for each in (branched, middle, net)
        for how in ({}, {"expand_nested": True}, {"show_trainable": True, "expand_nested": True})
    ]


def steps_of_ones_own(tf):
    """`train_step`, `test_step` and `metrics` as the guide on customizing `fit` has them."""

    class Custom(tf.keras.Model):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            self.loss_tracker = tf.keras.metrics.Mean(name="loss")
            self.mae_metric = tf.keras.metrics.MeanAbsoluteError(name="mae")

        def train_step(self, data):
            x, y, *weights = data
            with tf.GradientTape() as tape:
                y_pred = self(x, training=True)
                loss = self.compute_loss(y=y, y_pred=y_pred, sample_weight=weights[0] if weights else None)
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply(gradients, self.trainable_variables)
            self.loss_tracker.update_state(loss)
            self.mae_metric.update_state(y, y_pred)
            return {"loss": self.loss_tracker.result(), "mae": self.mae_metric.result()}

        @property
        def metrics(self):
            return [self.loss_tracker, self.mae_metric]

    place = tf.keras.Input((6,))
    model = filled(Custom(place, tf.keras.layers.Dense(1)(place)))
    model.compile("adam", "mse")
    options = {"batch_size": 4, "shuffle": False, "verbose": 0, "epochs": 2}
    plain = model.fit(ROWS, ROWS[:, :1], **options).history
    weighed = model.fit(ROWS, ROWS[:, :1], sample_weight=LABELS.astype(np.float32), **options).history
    return [plain, weighed, model.weights]


def adversaries_in_fit(tf):
    k = tf.keras.layers

    class GAN(tf.keras.Model):
        def __init__(self, discriminator, generator):
            super().__init__()
            self.discriminator, self.generator = discriminator, generator
            self.d_loss_tracker = tf.keras.metrics.Mean(name="d_loss")
            self.g_loss_tracker = tf.keras.metrics.Mean(name="g_loss")
            self.built = True

        @property
        def metrics(self):
            return [self.d_loss_tracker, self.g_loss_tracker]

        def compile(self, d_optimizer, g_optimizer, loss_fn):
            super().compile()
            self.d_optimizer, self.g_optimizer, self.loss_fn = d_optimizer, g_optimizer, loss_fn

        def train_step(self, real):
            size = tf.shape(real)[0]
            noise = tf.fill((size, 5), 0.3)
            both = tf.concat([self.generator(noise), real], axis=0)
            labels = tf.concat([tf.ones((size, 1)), tf.zeros((size, 1))], axis=0)
            with tf.GradientTape() as tape:
                d_loss = self.loss_fn(labels, self.discriminator(both))
            weights = self.discriminator.trainable_weights
            self.d_optimizer.apply_gradients(zip(tape.gradient(d_loss, weights), weights, strict=True))
            with tf.GradientTape() as tape:
                g_loss = self.loss_fn(tf.zeros((size, 1)), self.discriminator(self.generator(noise)))
            weights = self.generator.trainable_weights
            self.g_optimizer.apply_gradients(zip(tape.gradient(g_loss, weights), weights, strict=True))
            self.d_loss_tracker.update_state(d_loss)
            self.g_loss_tracker.update_state(g_loss)
            return {"d_loss": self.d_loss_tracker.result(), "g_loss": self.g_loss_tracker.result()}

    one = [k.Conv2D(4, 3, strides=2, padding="same"), k.LeakyReLU(0.2), k.GlobalMaxPooling2D(), k.Dense(1)]
    other = [k.Dense(20), k.LeakyReLU(0.2), k.Reshape((2, 2, 5)), k.Conv2DTranspose(3, 4, strides=4, padding="same")]
    discriminator = filled(tf.keras.Sequential([tf.keras.Input((8, 8, 3)), *one]))
    generator = filled(tf.keras.Sequential([tf.keras.Input((5,)), *other]), 1)
    gan = GAN(discriminator, generator)
    adam = tf.keras.optimizers.Adam
    gan.compile(adam(3e-4), adam(3e-4), tf.keras.losses.BinaryCrossentropy(from_logits=True))
    history = gan.fit(tf.data.Dataset.from_tensor_slices(PICTURES).batch(2), epochs=2, verbose=0).history
    return [history, discriminator.weights, generator.weights]


def autoencoder_that_adds_its_loss(tf):
    k = tf.keras.layers

    class Encoder(k.Layer):
        def __init__(self):
            super().__init__(name="encoder")
            self.proj, self.mean, self.log_var = k.Dense(5, activation="relu"), k.Dense(2), k.Dense(2)

        def call(self, inputs):
            x = self.proj(inputs)
            mean, log_var = self.mean(x), self.log_var(x)
            return mean, log_var, mean + tf.exp(0.5 * log_var) * 0.3

    class VAE(tf.keras.Model):
        def __init__(self):
            super().__init__(name="vae")
            self.encoder, self.decoder = Encoder(), k.Dense(6, activation="sigmoid")

        def call(self, inputs):
            mean, log_var, z = self.encoder(inputs)
            self.add_loss(-0.5 * tf.reduce_mean(log_var - tf.square(mean) - tf.exp(log_var) + 1))
            return self.decoder(z)

    vae = VAE()
    vae(ROWS)
    filled(vae)
    optimizer, seen = tf.keras.optimizers.Adam(1e-2), []
    for batch in tf.data.Dataset.from_tensor_slices(ROWS).batch(4):
        with tf.GradientTape() as tape:
            loss = tf.keras.losses.MeanSquaredError()(batch, vae(batch)) + sum(vae.losses)
        gradients = tape.gradient(loss, vae.trainable_weights)
        optimizer.apply_gradients(zip(gradients, vae.trainable_weights, strict=True))
        seen.append(loss)
    vae.compile("sgd", "mse")
    history = vae.fit(ROWS, ROWS, batch_size=4, epochs=2, shuffle=False, verbose=0).history
    return [seen, history, text(lambda write: vae.summary(print_fn=write))]


def attention_of_bahdanau(tf):
    k = tf.keras.layers
    embedding, gru = k.Embedding(9, 4), k.GRU(5, return_sequences=True, return_state=True)
    one, other, score, out = k.Dense(6), k.Dense(6), k.Dense(1), k.Dense(7)
    words, answers = tf.constant(WORDS, tf.int32), tf.constant(WORDS[:, :3] % 7, tf.int32)

    def run(loss=0.0):
        values, state = gru(embedding(words), initial_state=tf.zeros((3, 5)))
        shares = []
        for t in range(1, 3):
            share = tf.nn.softmax(score(tf.nn.tanh(one(tf.expand_dims(state, 1)) + other(values))), axis=1)
            context = tf.reduce_sum(share * values, axis=1)
            each = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")(
                answers[:, t], out(tf.concat([context, state], axis=-1))
            )
            loss += tf.reduce_mean(each * tf.cast(tf.math.logical_not(tf.math.equal(answers[:, t], 0)), each.dtype))
            shares.append(share)
        return loss / int(answers.shape[1]), shares

    run()
    layers = [embedding, gru, one, other, score, out]
    weights = [weight for layer in map(filled, layers) for weight in layer.trainable_variables]
    with tf.GradientTape() as tape:
        loss, shares = run()
    return [loss, shares, *map(tf.convert_to_tensor, tape.gradient(loss, weights))]


def style_of_pictures(tf):
    k = tf.keras.layers
    place = tf.keras.Input((8, 8, 3))
    x = k.Conv2D(4, 3, padding="same", activation="relu", name="low")(place)
    x = k.Conv2D(6, 3, activation="relu", name="high")(k.AveragePooling2D(2)(x))
    whole = filled(tf.keras.Model(place, x))
    whole.trainable = False
    features = tf.keras.Model([whole.input], [whole.get_layer(name).output for name in ("low", "high")])

    def grams(picture):
        found = features(picture * 2.0)
        return [tf.linalg.einsum("bijc,bijd->bcd", each, each) / float(each.shape[1] * each.shape[2]) for each in found]

    targets, image = grams(PICTURES[:1]), tf.Variable(PICTURES[1:2])
    optimizer, losses = tf.keras.optimizers.Adam(learning_rate=0.02, beta_1=0.99, epsilon=1e-1), []
    for _ in range(2):
        with tf.GradientTape() as tape:
            loss = tf.add_n([tf.reduce_mean((a - b) ** 2) for a, b in zip(grams(image), targets, strict=True)])
            loss += 0.1 * tf.reduce_sum(tf.abs(image[:, 1:] - image[:, :-1]))
        optimizer.apply_gradients([(tape.gradient(loss, image), image)])
        image.assign(tf.clip_by_value(image, clip_value_min=0.0, clip_value_max=1.0))
        losses.append(loss)
    return [losses, image]


def sequences_are_padded(tf):
    pad = tf.keras.utils.pad_sequences
    ragged = [[1], [2, 3], [4, 5, 6]]
    ways = (
        *({}, {"value": -1}, {"padding": "post"}, {"maxlen": 2}, {"maxlen": 2, "truncating": "post"}),
        {"maxlen": 5, "padding": "post", "dtype": "float32", "value": 0.5},
    )
    return [
        *(pad(ragged, **way) for way in ways),
        *(pad(each) for each in ([[[1, 2]], [[3, 4], [5, 6]]], [[], [1]], np.array([[1, 2]]))),
        *errors(
            *(partial(pad, ragged, **bad) for bad in ({"padding": "x"}, {"maxlen": 1, "truncating": "x"})),
            *(partial(pad, each) for each in (3, [1, 2], [[1], [[2, 3]]])),
            partial(pad, ragged, value="a"),
        ),
    ]


def series_are_cut_into_windows(tf):
    cut = tf.keras.utils.timeseries_dataset_from_array
    series, found = np.arange(40, dtype=np.float32).reshape(20, 2), []
    ways = (
        *({}, {"sampling_rate": 2, "sequence_stride": 3}, {"batch_size": None}, {"batch_size": 4}),
        {"start_index": 2, "end_index": 12},
    )
    fewer = np.arange(9) * 2.0  # of which a stretch that begins later has too few
    for way in ways:
        for targets in (None, np.arange(20), *([] if "start_index" in way else [fewer])):
            data = cut(series, targets, 3, **way)
            found += [data.cardinality(), *data.take(2)]
    apart = np.concatenate([each.numpy()[:, 0, 0] for each in cut(series, None, 3, shuffle=True, seed=1)])
    bad = (
        *({"start_index": 30}, {"end_index": 25}, {"start_index": 5, "end_index": 3}, {"sampling_rate": 0}),
        *({"sequence_stride": 50}, {"start_index": -1}, {"end_index": -2}, {"format": "none"}),
    )
    refused = errors(*(partial(cut, series, None, 3, **each) for each in bad))
    return [found, sorted(apart.tolist()), refused, errors(lambda: list(cut(series, np.arange(4), 3, start_index=1)))]
