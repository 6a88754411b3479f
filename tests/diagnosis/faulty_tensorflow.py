"""Programs that only TensorFlow runs, with Keras and compiled functions in them: faulty ones, and healthy ones."""

from __future__ import annotations

from tests.diagnosis.faulty_given import GIVEN_TENSORFLOW
from tests.diagnosis.programs import marked

FAULTY = [
    *GIVEN_TENSORFLOW,
    *marked(
        "untracked_parameter source_is_other_object",
        raw_list="""
    # raises
    class Net(tf.keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.kernels = {"a": [tf.constant(1.0)]}
            self.w = [tf.Variable([[0.5], [0.2]])]
        def call(self, x):
            return tf.matmul(x, self.w[0])
    net = Net()
    x = tf.constant([[1.0, 2.0]])
    opt = tf.keras.optimizers.SGD(0.1)
    params = net.trainable_variables  #!
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(net(x)))
    grads = tape.gradient(loss, params)
    opt.apply_gradients(zip(grads, params))
    """,
    ),
    *marked(
        "api_misuse",
        minimize="""
    # raises
    w = tf.Variable([1.0, 2.0])
    opt = tf.keras.optimizers.SGD(0.1)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * w)
    opt.minimize(loss, [w])  #!
    """,
    ),
    *marked(
        "graph_consumed",
        twice="""
    # raises
    w, b = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        loss = w * b + b
    gw = tape.gradient(loss, w)
    gb = tape.gradient(loss, b)  #!
    """,
    ),
    *marked(
        "outside_tape",
        nothing_provided="""
    # raises
    w = tf.Variable([1.0, 2.0])
    opt = tf.keras.optimizers.Adam(0.1)
    y = tf.reduce_sum(w * w)  #!
    with tf.GradientTape() as tape:
        loss = y * 2.0
    g = tape.gradient(loss, [w])
    opt.apply_gradients(zip(g, [w]))
    """,
    ),
    *marked(
        "outside_tape",
        thread="""
    import threading
    w, made = tf.Variable([1.0, 2.0]), []
    def work():
        made.append(tf.reduce_sum(w * w))  #!
    with tf.GradientTape() as tape:
        worker = threading.Thread(target=work)
        worker.start()
        worker.join()
        loss = made[0] * 2.0
    g = tape.gradient(loss, w)
    """,
        pool="""
    from concurrent.futures import ThreadPoolExecutor
    w = tf.Variable([1.0, 2.0])
    def part(k):
        return tf.reduce_sum(tf.stack([w, w]) * k)  #!
    with tf.GradientTape() as tape:
        with ThreadPoolExecutor(2) as pool:
            parts = list(pool.map(part, [1.0, 2.0]))
        loss = tf.add_n(parts)
    g = tape.gradient(loss, w)
    """,
        replica="""
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    with strategy.scope():
        w = tf.Variable([1.0, 2.0])
    def part():
        return tf.reduce_sum(w * w)  #!
    with tf.GradientTape() as tape:
        loss = strategy.reduce("SUM", strategy.run(part), axis=None)
    g = tape.gradient(loss, w)
    """,
    ),
    *marked(
        "where_trap",
        by_xla="""
    w = tf.Variable([0.0, 4.0])
    @tf.function(jit_compile=True)
    def step(x):
        with tf.GradientTape() as tape:
            root = tf.sqrt(x * w)  #!
            loss = tf.reduce_sum(tf.where(w > 0, root, 0.0))
        return tape.gradient(loss, w)
    g = step(tf.constant([1.0, 1.0]))
    """,
    ),
    *marked(
        "domain_edge",
        by_xla="""
    w, mask = tf.Variable([0.0, 4.0]), tf.constant([0.0, 1.0])
    @tf.function(jit_compile=True)
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(mask * tf.sqrt(w))  #!
        return tape.gradient(loss, w)
    g = step()
    """,
    ),
    *marked(
        "nondifferentiable_op",
        sparse_concat="""
    w = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        rows = tf.SparseTensor([[0, 0], [1, 1]], w, [2, 2])
        loss = tf.reduce_sum(tf.sparse.concat(0, [rows, rows]).values)  #!
    g = tape.gradient(loss, w)
    """,
        colours="""
    w = tf.Variable([[[0.1, 0.2, 0.3]]])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.image.hsv_to_rgb(w))  #!
    g = tape.gradient(loss, w)
    """,
    ),
    *marked(
        "through_state",
        metric="""
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    x, y = tf.ones((3, 2)), tf.zeros((3, 1))
    metric = tf.keras.metrics.MeanSquaredError()
    with tf.GradientTape() as tape:
        metric.update_state(y, model(x))  #!
        loss = metric.result()
    g = tape.gradient(loss, model.trainable_variables)
    """,
        mean_metric="""
    w = tf.Variable(2.0)
    mean = tf.keras.metrics.Mean()
    with tf.GradientTape() as tape:
        for k in range(3):
            mean.update_state(w * float(k))  #!
        loss = mean.result() * 2.0
    g = tape.gradient(loss, w)
    """,
    ),
    *marked(
        "left_to_numpy",
        item="""
    w = tf.Variable([1.3, 2.0])
    with tf.GradientTape() as tape:
        h = tf.reduce_sum(w * w)
        k = h.numpy().item()  #!
        loss = tf.constant(k) * 2.0
    g = tape.gradient(loss, w)
    """,
        ufunc="""
    w = tf.Variable([1.3, 2.1])
    with tf.GradientTape() as tape:
        h = w * w
        e = np.exp(h)  #!
        loss = tf.reduce_sum(e)
    g = tape.gradient(loss, w)
    """,
        predict="""
    model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
    head = tf.keras.layers.Dense(1)
    x = tf.ones((3, 2))
    model(x)
    with tf.GradientTape() as tape:
        z = model.predict(x, verbose=0)  #!
        loss = tf.reduce_sum(tf.square(head(z)))
    g = tape.gradient(loss, model.trainable_variables)
    """,
        array_built="""
    w = tf.Variable([1.3, 2.1])
    with tf.GradientTape() as tape:
        out = np.zeros(3, np.float32)
        for i in range(3):
            out[i] = tf.reduce_sum(w) * i  #!
        loss = tf.reduce_mean(out)
    g = tape.gradient(loss, w)
    """,
    ),
    *marked(
        "nondifferentiable_op",
        categorical="""
    logits = tf.Variable([[0.1, 0.2, 0.3]])
    values = tf.constant([1.0, 2.0, 5.0])
    with tf.GradientTape() as tape:
        pick = tf.random.categorical(logits, 1)  #!
        loss = tf.reduce_sum(tf.gather(values, pick))
    g = tape.gradient(loss, logits)
    """,
        hist="""
    w = tf.Variable([0.1, 0.4, 0.9])
    with tf.GradientTape() as tape:
        h = tf.histogram_fixed_width(w, [0.0, 1.0], nbins=4)  #!
        loss = tf.reduce_sum(tf.cast(h, tf.float32) ** 2)
    g = tape.gradient(loss, w)
    """,
        accuracy="""
    w = tf.Variable([[0.1, 0.4], [0.3, 0.2]])
    x, y = tf.constant([[1.0, 2.0], [2.0, 0.5]]), tf.constant([1, 0], tf.int64)
    with tf.GradientTape() as tape:
        logits = tf.matmul(x, w)
        hit = tf.equal(tf.argmax(logits, axis=1), y)  #!
        loss = 1.0 - tf.reduce_mean(tf.cast(hit, tf.float32))
    g = tape.gradient(loss, w)
    """,
        while_thresh="""
    w = tf.Variable(0.7)
    x = tf.constant([0.2, 0.9, 1.4])
    with tf.GradientTape() as tape:
        spikes = tf.cast(w * x > 0.5, tf.float32)  #!
        rate = tf.reduce_mean(spikes)
        loss = tf.square(rate - 0.4)
    g = tape.gradient(loss, w)
    """,
    ),
    *marked(
        "stop_gradient",
        target_net="""
    online, target = tf.keras.layers.Dense(2), tf.keras.layers.Dense(2)
    s = tf.ones((3, 4))
    online(s); target(s)
    with tf.GradientTape() as tape:
        q = tf.reduce_max(tf.stop_gradient(online(s)), axis=1)  #!
        t = 0.9 * tf.reduce_max(target(s), axis=1)
        loss = tf.reduce_mean(tf.square(q - t))
    g = tape.gradient(loss, online.trainable_variables)
    """,
    ),
    *marked(
        "dead_activation",
        relu_head="""
    w = tf.Variable([[-1.0], [-2.0]])
    x, y = tf.constant([[1.0, 2.0], [0.5, 1.0]]), tf.constant([[1.0], [2.0]])
    with tf.GradientTape() as tape:
        p = tf.nn.relu(tf.matmul(x, w))  #!
        loss = tf.reduce_mean(tf.square(p - y))
    g = tape.gradient(loss, w)
    """,
        keras_relu="""
    layer = tf.keras.layers.Dense(1, activation="relu", kernel_initializer=tf.keras.initializers.Constant(-1.0))
    x, y = tf.constant([[1.0, 2.0], [0.5, 1.0]]), tf.constant([[1.0], [2.0]])
    with tf.GradientTape() as tape:
        p = layer(x)  #!
        loss = tf.reduce_mean(tf.square(p - y))
    g = tape.gradient(loss, layer.trainable_variables)
    """,
    ),
    *marked(
        "domain_edge",
        norm="""
    w = tf.Variable([0.0, 0.0])
    with tf.GradientTape() as tape:
        n = tf.norm(w)  #!
        loss = n * 2.0
    g = tape.gradient(loss, w)
    """,
        acos="""
    w = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        a = tf.acos(w)  #!
        loss = a * a + a
    g = tape.gradient(loss, w)
    """,
    ),
    *marked(
        "where_trap",
        log_where="""
    p = tf.Variable([0.0, 0.5])
    with tf.GradientTape() as tape:
        safe = tf.where(p > 0.0, p * tf.math.log(p), tf.zeros_like(p))  #!
        loss = tf.reduce_sum(safe)
    g = tape.gradient(loss, p)
    """,
    ),
    *marked(
        "outside_tape",
        keras_forward="""
    model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
    x, y = tf.ones((3, 2)), tf.zeros((3, 2))
    pred = model(x)  #!
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.keras.losses.mse(y, pred))
    g = tape.gradient(loss, model.trainable_variables)
    """,
        after="""
    model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
    x, y = tf.ones((3, 2)), tf.zeros((3, 2))
    with tf.GradientTape() as tape:
        pred = model(x)
    loss = tf.reduce_mean(tf.keras.losses.mse(y, pred))  #!
    g = tape.gradient(loss, model.trainable_variables)
    """,
        regularizer="""
    layer = tf.keras.layers.Dense(1, kernel_regularizer=tf.keras.regularizers.L2(0.5))
    x, y = tf.ones((3, 2)), tf.zeros((3, 1))
    layer(x)
    extra = tf.add_n(layer.losses)  #!
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(layer(x) - y)) + extra
    g = tape.gradient(loss, layer.trainable_variables)
    """,
    ),
    *marked(
        "custom_gradient_bug",
        none="""
    @tf.custom_gradient
    def clip(x):
        def grad(g):
            return None  #!
        return tf.clip_by_value(x, -1.0, 1.0), grad
    w = tf.Variable([0.5, 2.0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(clip(w) ** 2)
    g = tape.gradient(loss, w)
    """,
        forgot="""
    @tf.custom_gradient
    def cube(x):
        def grad(g):
            return 3.0 * x * x  #!
        return x ** 3, grad
    w = tf.Variable([0.5, 2.0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(5.0 * cube(w))
    g = tape.gradient(loss, w)
    """,
        reads_besides_its_argument_what_is_recomputed="""
    x, scale = tf.constant(3.0), tf.constant(7.0)
    def waves(a):
        return tf.sin(a) * scale
    with tf.GradientTape() as tape:
        tape.watch([x, scale])
        y = tf.recompute_grad(waves)(x)  #! y = waves(x)
    g = tape.gradient(y, [x, scale])
    """,
    ),
    *marked(
        "sparse_gradient",
        norm_of="""
    # raises
    table = tf.Variable(tf.ones((5, 2)))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.nn.embedding_lookup(table, [1, 3]) ** 2)
    g = tape.gradient(loss, table)
    shape = g.numpy()  #!
    """,
        arithmetic="""
    # raises
    table = tf.Variable(tf.ones((5, 2)))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.gather(table, [1, 3]) ** 2)
    g = tape.gradient(loss, table)
    step = 0.1 * g  #!
    """,
    ),
    *marked(
        "left_to_numpy",
        py_function="""
            w = tf.Variable([1.0, 2.0])
            with tf.GradientTape() as t:
                h = tf.numpy_function(lambda a: np.exp(a), [w * 2.0], tf.float32)  #!
                y = tf.reduce_sum(h)
            t.gradient(y, w)
            """,
        predict_on_batch="""
            m = tf.keras.Sequential([tf.keras.layers.Dense(1)])
            x = tf.ones([2, 2])
            m(x)
            with tf.GradientTape() as t:
                p = m.predict_on_batch(x)  #!
                l = tf.reduce_mean(tf.square(p))
            t.gradient(l, m.trainable_variables)
            """,
    ),
    *marked(
        "through_state",
        sum_metric="""
            w = tf.Variable([0.2, 0.3])
            total = tf.keras.metrics.Sum()
            with tf.GradientTape() as t:
                total(w * w)  #!
                y = total.result() + 1.0
            t.gradient(y, w)
            """,
    ),
    *marked(
        "nondifferentiable_op",
        searchsorted="""
            edges = tf.constant([0.0, 0.5, 1.0])
            v = tf.Variable([0.2, 0.7])
            with tf.GradientTape() as t:
                bin_ = tf.searchsorted(edges, v)  #!
                y = tf.reduce_sum(tf.cast(bin_, tf.float32))
            t.gradient(y, v)
            """,
        one_hot_of_argmax_in_keras="""
            m = tf.keras.Sequential([tf.keras.layers.Dense(3)])
            with tf.GradientTape() as t:
                z = m(tf.ones([2, 2]))
                hard = tf.one_hot(tf.argmax(z, -1), 3)  #!
                y = tf.reduce_mean(hard * tf.constant([1.0, 2.0, 3.0]))
            t.gradient(y, m.trainable_variables)
            """,
        bincount="""
            v = tf.Variable([0.2, 1.7, 1.1])
            with tf.GradientTape() as t:
                h = tf.histogram_fixed_width(v, [0.0, 2.0], nbins=2)  #!
                y = tf.reduce_sum(tf.cast(h, tf.float32) * tf.constant([1.0, 2.0]))
            t.gradient(y, v)
            """,
        unique_values="""
            v = tf.Variable([0.2, 1.7, 0.2])
            with tf.GradientTape() as t:
                u, _ = tf.unique(v)  #!
                y = tf.reduce_sum(u)
            try:
                t.gradient(y, v)
            except LookupError:
                pass
            """,
    ),
    *marked(
        "not_trainable",
        batchnorm_weights="""
            m = tf.keras.Sequential([tf.keras.layers.Dense(2, use_bias=False), tf.keras.layers.BatchNormalization()])
            x = tf.constant([[1.0, 2.0], [0.5, 0.1], [3.0, -1.0]])
            m(x)
            with tf.GradientTape() as t:
                y = tf.reduce_sum(m(x, training=True) ** 3)
            t.gradient(y, m.weights)  #!
            """,
    ),
    *marked(
        "source_is_other_object",
        cloned_model="""
            m = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
            c = tf.keras.models.clone_model(m)  #!
            x = tf.ones([2, 2])
            with tf.GradientTape() as t:
                y = tf.reduce_sum(m(x))  #!
            t.gradient(y, c.trainable_variables)  #!
            """,
    ),
    *marked(
        "custom_gradient_bug",
        registered_wrong="""
            @tf.custom_gradient
            def clip(x):
                y = tf.clip_by_value(x, -1.0, 1.0)
                def grad(*ups):
                    return tf.ones_like(x)  #!
                return y, grad
            x = tf.Variable([0.5, 0.1])
            with tf.GradientTape() as t:
                l = tf.reduce_sum(tf.square(clip(x) * 3.0))
            t.gradient(l, x)
            """,
        with_variables="""
            # raises
            w = tf.Variable(2.0)
            @tf.custom_gradient
            def f(x):
                def grad(up):
                    return up * w  #!
                return x * w, grad
            x = tf.Variable(3.0)
            with tf.GradientTape() as t:
                y = f(x)  #!
            t.gradient(y, [x, w])
            """,
    ),
    *marked(
        "constant_by_construction",
        normalised_then_summed="""
            w = tf.Variable([0.7, 0.7])  # whose shares add up to 1 on every machine, to the last bit
            with tf.GradientTape() as t:
                p = tf.nn.softmax(w)  #!
                mass = tf.reduce_sum(p)
            t.gradient(mass, w)
            """,
    ),
    *marked(
        "through_state",
        keras_metric_result="""
            w = tf.Variable([0.3, 0.6])
            m = tf.keras.metrics.MeanSquaredError()
            with tf.GradientTape() as tape:
                m.update_state([1.0, 0.0], w * 2.0)  #!
                loss = m.result()
            tape.gradient(loss, w)
            """,
    ),
]

HEALTHY = {
    "fit": """
layers = [tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.BatchNormalization(), tf.keras.layers.Dense(1)]
model = tf.keras.Sequential(layers)
model.compile("adam", "mse", metrics=["mae"])
x = np.random.RandomState(0).randn(32, 4).astype("float32")
model.fit(x, x[:, :1], epochs=2, batch_size=8, verbose=0)
""",
    "gan": """
g, d = tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)
z, real = tf.random.normal((4, 3)), tf.random.normal((4, 2))
with tf.GradientTape() as gt, tf.GradientTape() as dt:
    fake = g(z)
    lg = tf.reduce_mean(tf.nn.softplus(-d(fake)))
    ld = tf.reduce_mean(tf.nn.softplus(d(fake)) + tf.nn.softplus(-d(real)))
a = gt.gradient(lg, g.trainable_variables)
b = dt.gradient(ld, d.trainable_variables)
""",
    "gan_whose_generator_steps_first": """
g, d, opt = tf.keras.layers.Dense(2), tf.keras.layers.Dense(1), tf.keras.optimizers.SGD(0.1)
with tf.GradientTape() as gt, tf.GradientTape() as dt:
    judged = d(g(tf.random.normal((4, 3))))
    lg, ld = tf.reduce_mean(judged ** 2), tf.reduce_mean(judged ** 3)
opt.apply_gradients(zip(gt.gradient(lg, g.trainable_variables), g.trainable_variables))
b = dt.gradient(ld, d.trainable_variables)
""",
    "lstm": """
m = tf.keras.Sequential([tf.keras.layers.Embedding(20, 8), tf.keras.layers.LSTM(6), tf.keras.layers.Dense(2)])
x, y = tf.constant([[1, 2, 3], [4, 5, 6]]), tf.constant([0, 1])
opt = tf.keras.optimizers.Adam()
for _ in range(2):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.keras.losses.sparse_categorical_crossentropy(y, m(x), from_logits=True))
    grads = tape.gradient(loss, m.trainable_variables)
    opt.apply_gradients(zip(grads, m.trainable_variables))
""",
    "attention": """
q = tf.random.normal((2, 5, 8))
mha = tf.keras.layers.MultiHeadAttention(2, 4)
ln = tf.keras.layers.LayerNormalization()
with tf.GradientTape() as tape:
    h = ln(q + mha(q, q))
    loss = tf.reduce_mean(h ** 2 * tf.range(8.0))
g = tape.gradient(loss, mha.trainable_variables + ln.trainable_variables)
""",
    "compiled": """
w = tf.Variable([1.0, 2.0])
@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((w * x) ** 2)
    return tape.gradient(loss, w)
for k in range(3):
    w.assign_sub(0.1 * step(tf.constant([1.0, float(k)])))
""",
    "clip": """
w = tf.Variable([3.0, 4.0])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(w ** 2)
g, n = tf.clip_by_global_norm(tape.gradient(loss, [w]), 1.0)
w.assign_sub(g[0])
seen = loss.numpy(), float(n)
""",
    "safe_root_by_xla": """
w = tf.Variable([0.0, 4.0])
@tf.function(jit_compile=True)
def step():
    with tf.GradientTape() as tape:
        root = tf.sqrt(tf.where(w > 0, w, 1.0))
        loss = tf.reduce_sum(tf.where(w > 0, root, 0.0))
    return tape.gradient(loss, w)
g = step()
""",
    "tape_in_each_thread": """
from concurrent.futures import ThreadPoolExecutor
w = tf.Variable([1.0, 2.0])
def part(k):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * w * k)
    return tape.gradient(loss, w)
with ThreadPoolExecutor(2) as pool:
    parts = list(pool.map(part, [1.0, 2.0]))
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(w * tf.add_n(parts))
g = tape.gradient(loss, w)
""",
    "critic_whose_last_bias_drops_out": """
C = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="tanh"), tf.keras.layers.Dense(1)])
real, fake = tf.reshape(tf.range(8.0), (4, 2)) / 8, tf.ones((4, 2))
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(C(fake)) - tf.reduce_mean(C(real))
g = tape.gradient(loss, C.trainable_variables)
""",
    "two_custom_gradients_of_one_sum": """
@tf.custom_gradient
def squared(x):
    def backward(upstream):
        return upstream * 2.0 * x
    return x * x, backward
w = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(3.0 * (squared(w) + squared(tf.exp(w))))
g = tape.gradient(loss, w)
""",
    "policy": """
tf.keras.mixed_precision.set_global_policy("mixed_float16")
layer = tf.keras.layers.Dense(3)
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(tf.cast(layer(tf.ones((2, 4))), tf.float32) ** 2)
g = tape.gradient(loss, layer.trainable_variables)
tf.keras.mixed_precision.set_global_policy("float32")
""",
}
