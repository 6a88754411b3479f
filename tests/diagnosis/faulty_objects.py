"""Programs with one fault each, in the shapes of larger code: classes, helpers, closures, generators, dicts and nests."""
# ruff: noqa: E501  (a repaired line stands beside the faulty one)

from __future__ import annotations

from tests.diagnosis.programs import marked

OBJECTS = [
    *marked(
        "outside_tape",
        a_state_that_another_method_computes="""
            class Cell:
                def __init__(self):
                    self.start = tf.Variable([[0.5, -0.5]])
                def prime(self, rows):
                    self.state = tf.tile(self.start, [rows, 1])  #! self.rows = rows
                def step(self, x):
                    with tf.GradientTape() as tape:
                        pass  #~ self.state = tf.tile(self.start, [self.rows, 1])
                        self.state = tf.tanh(self.state + x)
                        loss = tf.reduce_sum(self.state)
                    return tape.gradient(loss, self.start)

            cell = Cell()
            cell.prime(3)
            g = cell.step(tf.ones([3, 2]))
            """,
    ),
    *marked(
        "not_watched",
        latent_code_search="""
            class Decoder:
                def __init__(self):
                    self.kernel = tf.Variable([[0.4, -0.2], [0.1, 0.3]])
                def __call__(self, code):
                    return tf.nn.softplus(tf.matmul(code, self.kernel))
            def invert(decode, goal, steps):
                code = tf.zeros([1, 2])  #! code = tf.Variable(tf.zeros([1, 2]))
                trace = []
                for _ in range(steps):
                    with tf.GradientTape() as t:
                        miss = tf.reduce_mean(tf.abs(decode(code) - goal))
                    trace.append(t.gradient(miss, code))
                return trace
            invert(Decoder(), tf.constant([[0.7, 0.2]]), 2)
            """,
        inner_tape_forgets="""
            def pair():
                with tf.GradientTape() as upper:
                    upper.watch(p)
                    with tf.GradientTape() as lower:
                        pass  #~ lower.watch(p)
                        r = tf.reduce_sum(tf.pow(p, 3))
                    s = lower.gradient(r, p)
                return s
            p = tf.constant([1.5, -0.5])  #! =
            pair()
            """,
        nested_dict_of_inputs="""
            batch = {"left": {"x": tf.ones([2, 2])}, "right": tf.ones([2, 2]) * 0.5}  #! batch = {"left": {"x": tf.Variable(tf.ones([2, 2]))}, "right": tf.Variable(tf.ones([2, 2]) * 0.5)}
            m = tf.Variable([[0.2, 0.1], [0.4, -0.3]])
            with tf.GradientTape() as t:
                q = tf.reduce_sum(tf.matmul(batch["left"]["x"], m) * batch["right"])
            res = t.gradient(q, batch)
            """,
    ),
    *marked(
        "watched_too_late",
        list_watched_after="""
            feats = [tf.constant([0.1, 0.4]), tf.constant([0.9, 0.2])]
            with tf.GradientTape() as t:
                pooled = tf.add_n(feats)  #~ [t.watch(f) for f in feats];;pooled = tf.add_n(feats)
                for f in feats:
                    t.watch(f)  #!
                s = tf.reduce_prod(pooled)
            t.gradient(s, feats)
            """,
        method_of_an_attack="""
            class Saliency:
                def __init__(self, f):
                    self.f = f
                def __call__(self, img):
                    with tf.GradientTape(persistent=True) as t:
                        out = self.f(img)  #~ t.watch(img);;out = self.f(img)
                        t.watch(img)  #!
                        best = tf.reduce_max(out)
                    return t.gradient(best, img)
            k = tf.constant([[0.2, 0.5]])
            Saliency(lambda img: tf.tanh(tf.matmul(img, k, transpose_b=True)))(tf.constant([[1.0, 2.0], [0.3, 0.4]]))
            """,
        outer_tape_too_late="""
            z = tf.constant(0.7)
            with tf.GradientTape() as g2:
                with tf.GradientTape() as g1:
                    g1.watch(z)  #~ g1.watch(z);;g2.watch(z)
                    f = tf.sin(z) * z
                d1 = g1.gradient(f, z)
                g2.watch(z)  #! =
            d2 = g2.gradient(d1, z)
            """,
    ),
    *marked(
        "source_is_other_object",
        converted_copy="""
            beta = tf.Variable([0.5, 1.5])
            snapshot = tf.identity(beta)  #! snapshot = beta
            with tf.GradientTape() as t:
                v = tf.reduce_sum(tf.sin(beta))
            t.gradient(v, snapshot)
            """,
        columns_unstacked_after="""
            xy = tf.Variable([[0.1, 0.2], [0.4, 0.5]])
            with tf.GradientTape() as t:
                u = tf.reduce_sum(xy * xy * xy)  #~ u = t.gradient(tf.reduce_sum(xy * xy * xy), xy)
            xs, ys = tf.unstack(xy, axis=1)  #! =
            t.gradient(u, [xs, ys])  #~ 
            """,
        model_rebuilt_by_a_factory="""
            class Net:
                def __init__(self):
                    self.w = tf.Variable([[0.3], [0.6]])  #! =
                def __call__(self, x):
                    return tf.matmul(x, self.w)
            def build():
                return Net()
            net = build()
            x = tf.constant([[1.0, 2.0]])
            with tf.GradientTape() as t:
                cost = tf.reduce_sum(tf.square(build()(x)))  #! cost = tf.reduce_sum(tf.square(net(x)))
            t.gradient(cost, net.w)
            """,
        concatenated_before_and_parts_used="""
            a, b = tf.Variable([1.0, 2.0]), tf.Variable([3.0])
            with tf.GradientTape() as t:
                flat = tf.concat([a, b], 0)  #! =
                e = tf.reduce_sum(a * a) + 2.0 * b[0]  #~ e = tf.reduce_sum(flat[:2] ** 2) + 2.0 * flat[2]
            t.gradient(e, flat)
            """,
    ),
    *marked(
        "source_rebound",
        momentum_in_a_class="""
            class Fit:
                def __init__(self):
                    self.slope = tf.Variable(0.1)
                    self.speed = 0.0
                def step(self, x, y):
                    with tf.GradientTape() as t:
                        err = tf.reduce_mean(tf.square(self.slope * x - y))
                    d = t.gradient(err, self.slope)
                    if d is None:
                        return
                    self.speed = 0.9 * self.speed - 0.01 * d
                    self.slope = self.slope + self.speed  #! self.slope.assign_add(self.speed)
            fit = Fit()
            for _ in range(3):
                fit.step(tf.constant([1.0, 2.0]), tf.constant([2.0, 4.0]))
            """,
        clipped_by_a_method="""
            class Cell(tf.Module):
                def __init__(self):
                    super().__init__()
                    self.w = tf.Variable(tf.ones((2, 2)))
                def clip(self, limit=0.5):
                    self.w = tf.clip_by_norm(self.w, limit)  #! self.w.assign(tf.clip_by_norm(self.w, limit))
            cell = Cell()
            for step in range(2):
                with tf.GradientTape() as t:
                    loss = tf.reduce_sum(tf.square(cell.w))
                gradients = t.gradient(loss, [cell.w])
                cell.clip()
            """,
        tuple_unpacked_update="""
            w, b = tf.Variable([0.3]), tf.Variable([0.0])
            for i in range(2):
                with tf.GradientTape() as t:
                    o = tf.reduce_sum(tf.sigmoid(w * 2.0 + b))
                dw, db = t.gradient(o, (w, b))
                if dw is None:
                    break
                w, b = w - dw, b - db  #! w.assign_sub(dw);;b.assign_sub(db)
            """,
    ),
    *marked(
        "not_trainable",
        whole_model_frozen_with_its_new_head="""
            base = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="relu")])
            model = tf.keras.Sequential([base, tf.keras.layers.Dense(1)])
            x = tf.ones([5, 3])
            model(x)
            model.trainable = False  #! base.trainable = False
            with tf.GradientTape() as t:
                loss = tf.reduce_mean(tf.square(model(x) - 1.0))
            t.gradient(loss, model.trainable_variables)
            """,
        statistics_asked_for="""
            class Norm:
                def __init__(self):
                    self.mu = tf.Variable([0.1, 0.2], trainable=False)  #! self.mu = tf.Variable([0.1, 0.2])
                    self.gamma = tf.Variable([1.0, 1.0])
                def weights(self):
                    return [self.gamma, self.mu]
                def __call__(self, x):
                    return self.gamma * (x - self.mu)
            norm = Norm()
            with tf.GradientTape() as t:
                s = tf.reduce_sum(tf.square(norm(tf.ones([3, 2]))))
            t.gradient(s, norm.weights())
            """,
        temperature_made_by_a_helper="""
            def scalar(value, learn):
                return tf.Variable(value, trainable=learn)  #! =
            temp = scalar(2.0, False)  #! temp = scalar(2.0, True)
            logits = tf.Variable([0.1, 0.5, -0.4])
            with tf.GradientTape() as t:
                h = -tf.reduce_sum(tf.nn.softmax(logits / temp) * tf.nn.log_softmax(logits / temp))
            t.gradient(h, {"temp": temp, "logits": logits})
            """,
        comprehension_of_frozen="""
            layers = [tf.Variable(tf.ones([2, 2]) * 0.1 * i, trainable=i > 1) for i in range(1, 3)]  #! layers = [tf.Variable(tf.ones([2, 2]) * 0.1 * i) for i in range(1, 3)]
            h = tf.ones([1, 2])
            with tf.GradientTape() as t:
                for k in layers:
                    h = tf.tanh(tf.matmul(h, k))
                out = tf.reduce_sum(h)
            t.gradient(out, layers)
            """,
    ),
    *marked(
        "integer_dtype",
        numpy_integers="""
            start = tf.Variable(np.array([1, 2, 3]))  #! start = tf.Variable(np.array([1.0, 2.0, 3.0]))
            with tf.GradientTape() as t:
                v = tf.reduce_sum(start * start)
            t.gradient(v, start)
            """,
        index_as_parameter="""
            table = tf.Variable([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
            where = tf.constant(1.6)
            with tf.GradientTape() as t:
                t.watch(where)
                row = tf.gather(table, tf.cast(where, tf.int32))  #! row = table[1] + (where - 1.0) * (table[2] - table[1])
                v = tf.reduce_sum(row)
            t.gradient(v, where)
            """,
        ones_like_labels="""
            y = tf.constant([1, 0, 1])  #! y = tf.constant([1.0, 0.0, 1.0])
            z = tf.Variable([0.2, -0.3, 0.8])
            with tf.GradientTape() as t:
                t.watch(y)
                l = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.cast(y, tf.float32), logits=z))
            t.gradient(l, y)
            """,
        repeat_count="""
            n = tf.Variable(2.7)
            with tf.GradientTape() as t:
                k = tf.cast(n, tf.int32)  #! k = n
                s = 3.0 * tf.cast(k * k, tf.float32)
            t.gradient(s, n)
            """,
        saturating_cast="""
            pic = tf.Variable([[12.5, 200.2]])
            with tf.GradientTape() as t:
                shown = tf.saturate_cast(pic * 1.1, tf.uint8)  #! shown = pic * 1.1
                bright = tf.reduce_mean(tf.cast(shown, tf.float32))
            t.gradient(bright, pic)
            """,
    ),
    *marked(
        "outside_tape",
        generator_of_batches="""
            scale = tf.Variable(1.5)
            def batches():
                for i in range(2):
                    yield scale * tf.constant([1.0, 2.0]) * float(i + 1)  #! yield tf.constant([1.0, 2.0]) * float(i + 1)
            for batch in batches():  #! =
                with tf.GradientTape() as t:
                    v = tf.reduce_sum(batch ** 2)  #~ v = tf.reduce_sum((scale * batch) ** 2)
                t.gradient(v, scale)
            """,
        loop_carried_state="""
            w = tf.Variable(0.7)
            h = tf.constant(1.0)
            for i in range(3):
                h = tf.tanh(w * h + 0.1)  #! pass
            with tf.GradientTape() as t:
                loss = tf.square(h - 0.2)  #~ for i in range(3): h = tf.tanh(w * h + 0.1);;loss = tf.square(h - 0.2)
            t.gradient(loss, w)
            """,
        positive_parameter_in_init="""
            class Gauss:
                def __init__(self):
                    self.raw = tf.Variable(0.3)
                    self.sigma = tf.nn.softplus(self.raw)  #! pass
                def nll(self, x):
                    return tf.reduce_mean(0.5 * tf.square(x / self.sigma) + tf.math.log(self.sigma))  #~ s = tf.nn.softplus(self.raw);;return tf.reduce_mean(0.5 * tf.square(x / s) + tf.math.log(s))
            dist = Gauss()
            with tf.GradientTape() as t:
                loss = dist.nll(tf.constant([0.3, -0.8]))
            t.gradient(loss, dist.raw)
            """,
        mean_after_the_tape="""
            w = tf.Variable([0.2, 0.3])
            def predict(x):
                return tf.sigmoid(w * x)
            with tf.GradientTape() as t:
                p = predict(tf.constant([1.0, 4.0]))
                pass  #~ m = tf.reduce_mean(p)
            m = tf.reduce_mean(p)  #!
            t.gradient(m, w)
            """,
        lambda_over_a_derived_value="""
            a = tf.Variable(2.0)
            b = tf.sqrt(a)  #! b = lambda: tf.sqrt(a)
            f = lambda x: b * x  #~ f = lambda x: b() * x
            with tf.GradientTape() as t:
                y = f(tf.constant(3.0)) + 1.0
            t.gradient(y, a)
            """,
        silent_weight_decay="""
            w = tf.Variable([[0.5], [0.4]])
            l2 = 0.01 * tf.nn.l2_loss(w)  #! pass
            x, y = tf.constant([[1.0, 2.0]]), tf.constant([[1.0]])
            with tf.GradientTape() as t:
                loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y)) + l2  #~ loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y)) + 0.01 * tf.nn.l2_loss(w)
            t.gradient(loss, w)
            """,
    ),
    *marked(
        "recording_disabled",
        pause_in_a_method="""
            class Critic:
                def __init__(self):
                    self.w = tf.Variable([0.4, 0.2])
                def value(self, s):
                    return tf.reduce_sum(tf.tanh(self.w * s))
            critic = Critic()
            with tf.GradientTape() as t:
                with t.stop_recording():  #! if True:
                    v = critic.value(tf.constant([1.0, -2.0]))  #! =
                loss = tf.square(v - 1.0)
            t.gradient(loss, critic.w)
            """,
        pause_in_a_loop="""
            k = tf.Variable(0.9)
            total = 0.0
            with tf.GradientTape(persistent=True) as t:
                for i in range(3):
                    with t.stop_recording():  #! if True:
                        term = k ** float(i + 1)  #! =
                    total = total + term
            t.gradient(total, k)
            """,
        helper_given_the_tape="""
            def quietly(tape, f, *args):
                with tape.stop_recording():  #! if True:
                    return f(*args)  #! =
            w = tf.Variable([1.0, 2.0])
            with tf.GradientTape() as t:
                n = quietly(t, lambda q: tf.reduce_sum(q * q), w)  #! =
                y = tf.sqrt(n)
            t.gradient(y, w)
            """,
    ),
    *marked(
        "no_higher_order_record",
        newton_step="""
            x = tf.Variable(1.3)
            with tf.GradientTape() as o:
                with tf.GradientTape() as i:
                    f = x ** 4 - x
                pass  #~ d = i.gradient(f, x)
            d = i.gradient(f, x)  #!
            h = o.gradient(d, x)
            """,
        hamilton_in_a_helper="""
            q = tf.Variable([0.2, 0.6])
            def force(u):
                with tf.GradientTape() as t:
                    e = tf.reduce_sum(tf.square(q) * q)
                return t.gradient(e, q)
            f = force(q)  #! pass
            with tf.GradientTape() as t2:
                work = tf.reduce_sum(f * f)  #~ f = force(q);;work = tf.reduce_sum(f * f)
            t2.gradient(work, q)
            """,
        one_persistent_tape_twice="""
            x = tf.Variable(0.8)
            with tf.GradientTape(persistent=True) as t:  #~ with tf.GradientTape() as u, tf.GradientTape() as t:
                y = tf.exp(x) * x
                pass  #~ g = t.gradient(y, x)
            g = t.gradient(y, x)  #!
            gg = t.gradient(g, x)  #~ gg = u.gradient(g, x)
            """,
    ),
    *marked(
        "left_to_numpy",
        python_max="""
            w = tf.Variable([0.4, 0.9, 0.1])
            with tf.GradientTape() as t:
                s = tf.square(w)
                top = max(s.numpy())  #! top = tf.reduce_max(s)
                y = tf.convert_to_tensor(top) * 2.0
            t.gradient(y, w)
            """,
        appended_floats="""
            w = tf.Variable(1.2)
            losses = []
            with tf.GradientTape() as t:
                for x in (1.0, 2.0, 3.0):
                    losses.append(float(tf.square(w * x - 1.0)))  #! losses.append(tf.square(w * x - 1.0))
                total = tf.reduce_mean(losses)
            t.gradient(total, w)
            """,
        math_module="""
            import math
            rate = tf.Variable(0.4)
            with tf.GradientTape() as t:
                growth = math.exp(rate * 2.0)  #! growth = tf.exp(rate * 2.0)
                y = tf.constant(3.0) * growth
            t.gradient(y, rate)
            """,
        numpy_mean_in_a_class="""
            class Scaler:
                def fit(self, h):
                    self.mid = np.mean(h, axis=0)  #! self.mid = tf.reduce_mean(h, axis=0)
                    return self
                def value(self):
                    return tf.reduce_sum(tf.square(self.mid))
            v = tf.Variable([[1.0, 2.0], [3.0, 5.0]])
            with tf.GradientTape() as t:
                y = Scaler().fit(v * 2.0).value()
            t.gradient(y, v)
            """,
        dict_of_arrays="""
            p = tf.Variable([0.1, 0.7])
            with tf.GradientTape() as t:
                act = {"h": tf.sigmoid(p)}
                kept = {name: each.numpy() for name, each in act.items()}  #! kept = act
                loss = tf.reduce_sum(tf.math.log(kept["h"]))
            t.gradient(loss, p)
            """,
        numpy_array_of_tensors="""
            c = tf.Variable([0.2, 0.4])
            with tf.GradientTape() as t:
                parts = [c[0] * 2.0, c[1] * 3.0]
                stacked = np.array(parts)  #! stacked = tf.stack(parts)
                z = tf.reduce_sum(tf.sqrt(stacked))
            t.gradient(z, c)
            """,
    ),
    *marked(
        "rebuilt_as_leaf",
        fast_weights="""
            slow = tf.Variable([0.5, -0.5])
            with tf.GradientTape() as t:
                fast = slow - 0.1 * tf.sin(slow)
                inner = tf.Variable(fast)  #! inner = fast
                loss = tf.reduce_sum(tf.square(inner - 1.0))
            t.gradient(loss, slow)
            """,
        helper_that_wraps="""
            def as_variable(t):
                return tf.Variable(t, dtype=tf.float32)  #! return t
            angle = tf.Variable(0.3)
            with tf.GradientTape() as t:
                rot = as_variable(tf.stack([tf.cos(angle), tf.sin(angle)]))
                y = tf.reduce_sum(rot * tf.constant([1.0, 2.0]))
            t.gradient(y, angle)
            """,
    ),
    *marked(
        "stop_gradient",
        commitment_on_the_wrong_side="""
            e = tf.Variable([0.3, 0.8])
            book = tf.Variable([0.0, 1.0])
            with tf.GradientTape() as t:
                commit = tf.reduce_mean(tf.square(tf.stop_gradient(e) - book))  #! commit = tf.reduce_mean(tf.square(e - tf.stop_gradient(book)))
            t.gradient(commit, e)
            """,
        context_in_a_class="""
            class Attend:
                def __init__(self):
                    self.key = tf.Variable([[0.2, 0.4], [0.5, 0.1]])
                def scores(self, q):
                    logits = tf.matmul(q, self.key)
                    return tf.nn.softmax(tf.stop_gradient(logits))  #! return tf.nn.softmax(logits)
            att = Attend()
            with tf.GradientTape() as t:
                out = tf.reduce_sum(att.scores(tf.constant([[1.0, 2.0]])) * tf.constant([1.0, 3.0]))
            t.gradient(out, att.key)
            """,
        nest_of_stopped="""
            ws = [tf.Variable(0.5), tf.Variable(1.5)]
            with tf.GradientTape() as t:
                hs = [tf.exp(w) for w in ws]
                hs = [tf.stop_gradient(h) for h in hs]  #! pass
                y = hs[0] * hs[1]
            t.gradient(y, ws)
            """,
    ),
    *marked(
        "through_state",
        running_maximum="""
            best = tf.Variable(0.0, trainable=False)
            w = tf.Variable([0.4, 1.4])
            with tf.GradientTape() as t:
                best.assign(tf.reduce_max(w * w))  #! best = tf.reduce_max(w * w)
                loss = 1.0 - best
            t.gradient(loss, w)
            """,
        memory_matrix="""
            class Memory:
                def __init__(self):
                    self.cells = tf.Variable(tf.zeros([3]), trainable=False)
                def write(self, i, v):
                    self.cells.scatter_nd_update([[i]], [v])  #! self.cells = tf.tensor_scatter_nd_update(self.cells, [[i]], [v])
                def read(self):
                    return tf.reduce_sum(self.cells)
            mem, g = Memory(), tf.Variable(0.6)
            with tf.GradientTape() as t:
                for i in range(3):
                    mem.write(i, g * float(i))
                out = mem.read()
            t.gradient(out, g)
            """,
        accumulated_by_assign_add="""
            acc = tf.Variable([0.0, 0.0])
            k = tf.Variable([1.0, 3.0])
            with tf.GradientTape() as t:
                for _ in range(2):
                    acc.assign_add(tf.square(k))  #! acc = acc + tf.square(k)
                r = tf.reduce_sum(acc)
            t.gradient(r, k)
            """,
    ),
    *marked(
        "unused_source",
        argument_shadowed="""
            def energy(x, stiffness=1.0):
                return 0.5 * tf.reduce_sum(x * x)  #! return 0.5 * stiffness * tf.reduce_sum(x * x)
            x, stiffness = tf.Variable([0.1, 0.4]), tf.Variable(2.0)
            with tf.GradientTape() as t:
                e = energy(x, stiffness)  #! =
            t.gradient(e, [x, stiffness])
            """,
        layer_skipped_in_call="""
            class Stack:
                def __init__(self):
                    self.a, self.b = tf.Variable([[0.2, 0.3]]), tf.Variable([[0.5], [0.1]])
                    self.bias = tf.Variable([0.0, 0.0])
                def __call__(self, x):
                    h = tf.matmul(x, self.a)
                    z = tf.nn.relu(h + self.bias)
                    return tf.matmul(h, self.b)  #! return tf.matmul(z, self.b)
            s = Stack()
            with tf.GradientTape() as t:
                y = tf.reduce_sum(s(tf.constant([[1.0]])))
            t.gradient(y, [s.a, s.b, s.bias])
            """,
        false_condition="""
            alpha, w = tf.Variable(0.1), tf.Variable([1.0, 2.0])
            use_penalty = False  #~ use_penalty = True
            with tf.GradientTape() as t:
                loss = tf.reduce_sum(w * w)  #! =
                if use_penalty:
                    loss += alpha * tf.reduce_sum(tf.abs(w))
            t.gradient(loss, [w, alpha])
            """,
        loss_of_the_labels="""
            w = tf.Variable([0.3, 0.6])
            y = tf.constant([1.0, 0.0])
            with tf.GradientTape() as t:
                prediction = tf.sigmoid(w)
                loss = tf.reduce_mean(tf.square(y - y))  #! loss = tf.reduce_mean(tf.square(prediction - y))
            t.gradient(loss, w)
            """,
        overwritten_by_the_next="""
            outs = {}
            ws = {"p": tf.Variable(0.4), "q": tf.Variable(0.7)}
            with tf.GradientTape() as t:
                for name in ws:
                    outs["h"] = tf.exp(ws[name])  #! outs["h"] = outs.get("h", 0.0) + tf.exp(ws[name])
                loss = outs["h"] * 2.0  #! =
            t.gradient(loss, ws)
            """,
    ),
    *marked(
        "nondifferentiable_op",
        hard_gate="""
            g = tf.Variable([0.3, -0.8, 0.1])
            with tf.GradientTape() as t:
                open_ = tf.cast(tf.greater(g, 0.0), tf.float32)  #! open_ = tf.sigmoid(g)
                y = tf.reduce_sum(open_ * tf.constant([1.0, 2.0, 3.0]))
            t.gradient(y, g)
            """,
        quantised_in_a_class="""
            class Quant:
                def __init__(self, n):
                    self.n = n
                def __call__(self, z):
                    return tf.floor(z * self.n) / self.n  #! return z
            z = tf.Variable([0.24, 0.77])
            with tf.GradientTape() as t:
                q = Quant(4.0)(z)
                r = tf.reduce_mean(tf.square(q - 0.5))
            t.gradient(r, z)
            """,
        sampled_token="""
            logits = tf.Variable([[0.2, 0.5, 0.1]])
            table = tf.constant([[1.0], [2.0], [3.0]])
            with tf.GradientTape() as t:
                token = tf.random.categorical(logits, 1)  #! token = tf.nn.softmax(logits)
                y = tf.reduce_sum(tf.gather(table, token))  #~ y = tf.reduce_sum(tf.matmul(token, table))
            t.gradient(y, logits)
            """,
        sorted_indices="""
            s = tf.Variable([0.9, 0.1, 0.4])
            with tf.GradientTape() as t:
                order = tf.argsort(s)  #! order = tf.sort(s)
                rank = tf.reduce_sum(tf.cast(order, tf.float32) * tf.constant([1.0, 2.0, 3.0]))
            t.gradient(rank, s)
            """,
        top_indices="""
            s = tf.Variable([0.9, 0.1, 0.4])
            with tf.GradientTape() as t:
                values, picked = tf.math.top_k(s, 2)  #! =
                loss = tf.reduce_sum(tf.one_hot(picked, 3) * tf.constant([1.0, 2.0, 3.0]))  #~ loss = tf.reduce_sum(values)
            t.gradient(loss, s)
            """,
        logical_accuracy="""
            w = tf.Variable([0.4, -0.6])
            x, y = tf.constant([[1.0, 2.0], [2.0, 0.5]]), tf.constant([True, False])
            def score():
                p = tf.linalg.matvec(x, w)
                right = tf.equal(p > 0.0, y)  #! right = tf.sigmoid(p)
                return tf.reduce_mean(tf.cast(right, tf.float32))
            with tf.GradientTape() as t:
                a = score()
            t.gradient(a, w)
            """,
        truncated_modulus="""
            x = tf.Variable([1.7, 2.2])
            with tf.GradientTape() as t:
                cell = tf.math.ceil(x / 0.5)  #! cell = x / 0.5
                y = tf.reduce_sum(cell * 0.1)
            t.gradient(y, x)
            """,
    ),
    *marked(
        "custom_gradient_bug",
        none_for_the_weight="""
            @tf.custom_gradient
            def affine(x, w):
                def back(up):
                    return up * w, None  #! return up * w, up * x
                return x * w, back
            x, w = tf.Variable(2.0), tf.Variable(3.0)
            with tf.GradientTape() as t:
                y = affine(x, w) * 2.0
            t.gradient(y, [x, w])
            """,
        upstream_ignored_in_a_class="""
            class Ops:
                @staticmethod
                @tf.custom_gradient
                def log1pexp(x):
                    e = tf.exp(x)
                    def grad(up):
                        return 1.0 - 1.0 / (1.0 + e)  #! return up * (1.0 - 1.0 / (1.0 + e))
                    return tf.math.log(1.0 + e), grad
            x = tf.Variable([0.0, 1.0])
            with tf.GradientTape() as t:
                y = tf.reduce_mean(Ops.log1pexp(x) * tf.constant([3.0, 5.0]))
            t.gradient(y, x)
            """,
        upstream_ignored_where_nothing_is_computed="""
            @tf.custom_gradient
            def bounded(x):
                y = tf.exp(x)
                def grad(up, variables=None):
                    return y  #! return up * y
                return y, grad
            x = tf.Variable([0.5, 1.0])
            with tf.GradientTape() as t:
                y = 3.0 * tf.reduce_sum(bounded(x))
            t.gradient(y, x)
            """,
        lambda_returns_nothing="""
            @tf.custom_gradient
            def leak(x):
                def grad(up):
                    scaled = up * 0.1
                    return None  #! return scaled
                return tf.nn.relu(x), grad
            x = tf.Variable([1.0, -2.0])
            with tf.GradientTape() as t:
                y = tf.reduce_sum(leak(x))
            t.gradient(y, x)
            """,
    ),
    *marked(
        "graph_consumed",
        per_output_loop="""
            # raises
            w = tf.Variable([0.4, 0.8])
            with tf.GradientTape() as t:  #~ with tf.GradientTape(persistent=True) as t:
                y = tf.sin(w)
                parts = [y[0], y[1]]
            rows = [t.gradient(part, w) for part in parts]  #! =
            """,
        in_a_class_method="""
            # raises
            class Trainer:
                def __init__(self):
                    self.a, self.b = tf.Variable(1.0), tf.Variable(2.0)
                def losses(self):
                    return self.a * self.b, self.a + self.b
                def step(self):
                    with tf.GradientTape() as tape:  #~ with tf.GradientTape(persistent=True) as tape:
                        one, two = self.losses()
                    self.ga = tape.gradient(one, self.a)
                    self.gb = tape.gradient(two, self.b)  #! =
            Trainer().step()
            """,
    ),
    *marked(
        "swapped_arguments",
        in_a_helper="""
            def slope(f, at):
                with tf.GradientTape() as t:
                    t.watch(at)
                    value = f(at)
                return t.gradient(at, value)  #! return t.gradient(value, at)
            slope(lambda u: tf.reduce_sum(tf.tanh(u)), tf.constant([0.2, 0.5]))
            """,
        variables_first="""
            ws = [tf.Variable(0.5), tf.Variable(0.2)]
            with tf.GradientTape() as t:
                cost = tf.square(ws[0] - ws[1])
            t.gradient(ws, cost)  #! t.gradient(cost, ws)
            """,
        by_keyword="""
            m = tf.Variable([1.0, 2.0])
            with tf.GradientTape() as t:
                n = tf.norm(m)
            t.gradient(target=m, sources=n)  #! t.gradient(target=n, sources=m)
            """,
    ),
    *marked(
        "python_closure",
        penalties_by_index="""
            ws = [tf.Variable(1.0), tf.Variable(2.0), tf.Variable(3.0)]
            terms = []
            for w in ws:
                terms.append(lambda: tf.square(w))  #! terms.append(lambda w=w: tf.square(w))
            with tf.GradientTape() as t:
                total = tf.add_n([term() for term in terms])
            t.gradient(total, ws)
            """,
        scaled_functions="""
            def make():
                fs = {}
                for k in (1.0, 2.0, 3.0):
                    def f(x):  #! def f(x, k=k):
                        return k * x  #! =
                    fs[k] = f
                return fs
            x = tf.Variable(1.0)
            with tf.GradientTape() as t:
                y = sum(f(x) ** 2 for f in make().values())
            t.gradient(y, x)
            """,
    ),
    *marked(
        "broadcast_mismatch",
        prediction_column="""
            w = tf.Variable([[0.3], [0.1]])
            x, y = tf.constant([[1.0, 2.0], [0.5, 1.0], [2.0, 0.1]]), tf.constant([1.0, 0.0, 1.0])
            def mse(p, q):
                return tf.reduce_mean((p - q) ** 2)  #! return tf.reduce_mean((p[:, 0] - q) ** 2)
            with tf.GradientTape() as t:
                loss = mse(tf.matmul(x, w), y)  #! =
            t.gradient(loss, w)
            """,
        mask_times_values="""
            v = tf.Variable([[1.0], [2.0], [3.0], [4.0]])
            mask = tf.constant([1.0, 1.0, 0.0, 0.0])
            with tf.GradientTape() as t:
                kept = v * mask  #! kept = v * mask[:, None]
                s = tf.reduce_sum(kept)
            t.gradient(s, v)
            """,
        absolute_error="""
            b = tf.Variable(0.5)
            truth = tf.constant([[1.0], [2.0], [4.0]])
            with tf.GradientTape() as t:
                guess = b * tf.constant([1.0, 2.0, 3.0])
                mae = tf.reduce_mean(tf.abs(tf.subtract(guess, truth)))  #! mae = tf.reduce_mean(tf.abs(tf.subtract(guess, truth[:, 0])))
            t.gradient(mae, b)
            """,
    ),
    *marked(
        "missing_stop_gradient",
        double_q="""
            w = tf.Variable([[0.2, 0.4], [0.1, 0.3]])
            def q(s):
                return tf.linalg.matvec(w, s)
            s, s2, r = tf.constant([1.0, 0.5]), tf.constant([0.2, 0.9]), tf.constant(1.0)
            with tf.GradientTape() as t:
                goal = r + 0.99 * tf.reduce_max(q(s2))  #! goal = r + 0.99 * tf.stop_gradient(tf.reduce_max(q(s2)))
                td = goal - q(s)[0]
                loss = tf.square(td)
            t.gradient(loss, w)
            """,
        baseline_in_the_weight="""
            pi, v = tf.Variable([0.1, 0.6]), tf.Variable([0.3, 0.2])
            returns = tf.constant([1.0, 2.0])
            with tf.GradientTape() as t:
                adv = returns - v  #! adv = tf.stop_gradient(returns - v)
                loss = tf.reduce_sum(tf.square(returns - v)) - tf.reduce_sum(tf.nn.log_softmax(pi) * adv)
            t.gradient(loss, [pi, v])
            """,
    ),
    *marked(
        "domain_edge",
        length_of_a_zero="""
            a, b = tf.Variable([0.0, 0.0]), tf.Variable([1.0, 2.0])
            def length(v):
                return tf.sqrt(tf.reduce_sum(v * v))  #! return tf.sqrt(tf.reduce_sum(v * v) + 1e-12)
            with tf.GradientTape() as t:
                c = 2.0 * length(a) + length(b)
            t.gradient(c, [a, b])
            """,
        entropy_of_a_one_hot="""
            p = tf.Variable([1.0, 0.0, 0.0])
            class Entropy:
                def __call__(self, q):
                    return -tf.reduce_sum(q * tf.math.log(q))  #! return -tf.reduce_sum(tf.math.xlogy(q, q + 1e-7))
            with tf.GradientTape() as t:
                h = Entropy()(p)
            t.gradient(h, p)
            """,
        pairwise_distances="""
            pts = tf.Variable([[0.1, 0.2], [0.5, 0.9], [0.3, 0.3]])
            with tf.GradientTape() as t:
                gaps = pts[:, None, :] - pts[None, :, :]
                far = tf.norm(gaps, axis=-1)  #! far = tf.sqrt(tf.reduce_sum(gaps * gaps, -1) + 1e-9)
                spread = tf.reduce_mean(far)
            t.gradient(spread, pts)
            """,
        angle_at_one="""
            u = tf.Variable([1.0, 0.0])
            with tf.GradientTape() as t:
                theta = tf.acos(tf.reduce_sum(u * tf.constant([1.0, 0.0])))  #! theta = tf.acos(0.999 * tf.reduce_sum(u * tf.constant([1.0, 0.0])))
            t.gradient(theta, u)
            """,
        inverse_root="""
            x = tf.Variable([0.0, 4.0])
            with tf.GradientTape() as t:
                y = tf.reduce_sum(tf.pow(x, 0.5) * 3.0)  #! y = tf.reduce_sum(tf.pow(x + 1e-6, 0.5) * 3.0)
            t.gradient(y, x)
            """,
        zero_variance="""
            x = tf.Variable([[2.0, 2.0, 2.0]])
            with tf.GradientTape() as t:
                mean, var = tf.nn.moments(x, axes=[1], keepdims=True)
                std = tf.sqrt(var)  #! std = tf.sqrt(var + 1e-3)
                s = tf.reduce_sum(mean + 3.0 * std)
            t.gradient(s, x)
            """,
    ),
    *marked(
        "where_trap",
        sinc_with_where="""
            x = tf.Variable([0.0, 1.0, 2.0])
            with tf.GradientTape() as t:
                y = tf.where(x == 0.0, 1.0, tf.sin(x) / x)  #! y = tf.where(x == 0.0, 1.0, tf.sin(x) / tf.where(x == 0.0, 1.0, x))
                s = tf.reduce_sum(y)
            t.gradient(s, x)
            """,
        log_of_masked="""
            w = tf.Variable([0.5, 0.0, 2.0])
            def safe_log(v):
                logs = tf.math.log(v)  #! logs = tf.math.log(tf.where(v > 0.0, v, 1.0))
                return tf.where(v > 0.0, logs, tf.zeros_like(v))
            with tf.GradientTape() as t:
                s = tf.reduce_sum(safe_log(w))
            t.gradient(s, w)
            """,
        expm1_in_the_other_branch="""
            a = tf.Variable([-1.0, 200.0])
            with tf.GradientTape() as t:
                neg = tf.exp(a) - 1.0  #! neg = tf.exp(tf.minimum(a, 0.0)) - 1.0
                elu = tf.where(a > 0.0, a, neg)
                s = tf.reduce_sum(elu)
            t.gradient(s, a)
            """,
    ),
    *marked(
        "where_trap domain_edge",
        multiplied_by_a_mask="""
            v = tf.Variable([0.0, 1.0, 4.0])
            mask = tf.constant([0.0, 1.0, 1.0])
            with tf.GradientTape() as t:
                logs = tf.math.log(v)  #! logs = tf.math.log(v + (1.0 - mask))
                s = tf.reduce_sum(logs * mask)
            t.gradient(s, v)
            """,
    ),
    *marked(
        "nan_in_forward",
        ratio_of_exponentials="""
            z = tf.Variable([100.0, 1.0])
            def squash(v):
                e = tf.exp(v)  #! return tf.sigmoid(v)
                return e / (1.0 + e)  #~ pass
            with tf.GradientTape() as t:
                y = tf.reduce_sum(squash(z))
            t.gradient(y, z)
            """,
        empty_mean="""
            h = tf.Variable([1.0, 2.0, 3.0])
            mask = tf.constant([0.0, 0.0, 0.0])
            with tf.GradientTape() as t:
                mean = tf.reduce_sum(h * mask) / tf.reduce_sum(mask)  #! mean = tf.reduce_sum(h * mask) / (tf.reduce_sum(mask) + 1e-6)
                loss = tf.square(mean)  #~ loss = tf.square(mean) + tf.reduce_sum(h)
            t.gradient(loss, h)
            """,
        cosh_in_log="""
            e = tf.Variable([0.5, 120.0])
            with tf.GradientTape() as t:
                l = tf.reduce_mean(tf.math.log(tf.cosh(e)))  #! l = tf.reduce_mean(e + tf.nn.softplus(-2.0 * e))
            t.gradient(l, e)
            """,
        growing_power="""
            r = tf.Variable(1e20)
            with tf.GradientTape() as t:
                v = r * r  #! v = r
                q = v / (1.0 + v)  #~ q = tf.math.log(v)
            t.gradient(q, r)
            """,
        log_of_a_negative="""
            m = tf.Variable([0.5, -0.1])
            class Nll:
                def __call__(self, rate):
                    return tf.reduce_sum(rate - 2.0 * tf.math.log(rate))  #! return tf.reduce_sum(tf.exp(rate) - 2.0 * rate)
            with tf.GradientTape() as t:
                l = Nll()(m)
            t.gradient(l, m)
            """,
    ),
    *marked(
        "dead_activation",
        too_negative_bias_in_a_layer="""
            class Block:
                def __init__(self, bias):
                    self.k, self.b = tf.Variable([[0.2, 0.1], [0.4, 0.3]]), tf.Variable(tf.fill([2], bias))
                def __call__(self, x):
                    return tf.nn.relu(tf.matmul(x, self.k) + self.b)  #! =
            first = Block(-20.0)  #~ first = Block(0.1)
            with tf.GradientTape() as t:
                y = tf.reduce_sum(tf.square(first(tf.constant([[1.0, 2.0]])) - 1.0))
            t.gradient(y, first.k)
            """,
        hinge_by_maximum="""
            w = tf.Variable([-3.0, -2.0])
            x = tf.constant([1.0, 2.0])
            with tf.GradientTape() as t:
                gate = tf.maximum(0.0, w * x)  #! gate = tf.nn.softplus(w * x)
                y = tf.reduce_sum(gate)
            t.gradient(y, w)
            """,
        all_zero_start="""
            w = tf.Variable(tf.zeros([2, 3]))  #~ w = tf.Variable(tf.ones([2, 3]))
            x = tf.ones([4, 2])
            with tf.GradientTape() as t:
                h = tf.nn.relu(tf.matmul(x, w))  #! =
                y = tf.reduce_mean(tf.square(h - 1.0))  #~ y = tf.reduce_mean(tf.square(h - 1.0))
            t.gradient(y, w)
            """,
    ),
    *marked(
        "saturation",
        clipped_in_a_helper="""
            def bounded(v, low=-1.0, high=1.0):
                return tf.clip_by_value(v, low, high)  #! return tf.tanh(v)
            a = tf.Variable([2.5, -3.5])
            with tf.GradientTape() as t:
                y = tf.reduce_sum(bounded(a) * tf.constant([1.0, 2.0]))
            t.gradient(y, a)
            """,
        sigmoid_of_large_sums="""
            w = tf.Variable([40.0, 60.0])
            x = tf.constant([[5.0, 3.0], [4.0, 4.0]])
            with tf.GradientTape() as t:
                p = tf.sigmoid(tf.linalg.matvec(x, w))  #! p = tf.sigmoid(tf.linalg.matvec(x, w) / 500.0)
                loss = tf.reduce_mean(tf.square(p - 0.5))
            t.gradient(loss, w)
            """,
        capped_by_minimum="""
            s = tf.Variable([9.0, 7.0])
            with tf.GradientTape() as t:
                capped = tf.minimum(s, 6.0)  #! capped = s
                y = tf.reduce_sum(capped * capped)
            t.gradient(y, s)
            """,
    ),
    *marked(
        "constant_by_construction",
        attention_over_one_key="""
            q = tf.Variable([[0.4, 0.1]])
            k, v = tf.constant([[0.3, 0.8]]), tf.constant([[1.0], ])
            with tf.GradientTape() as t:
                a = tf.nn.softmax(tf.matmul(q, k, transpose_b=True), axis=-1)  #! a = tf.sigmoid(tf.matmul(q, k, transpose_b=True))
                o = tf.reduce_sum(tf.matmul(a, v))
            t.gradient(o, q)
            """,
        second_derivative_of_a_line="""
            x = tf.Variable(2.0)
            with tf.GradientTape() as o:
                with tf.GradientTape() as i:
                    y = 3.0 * x + 1.0  #! y = 3.0 * x * x + 1.0
                d = i.gradient(y, x)
            dd = o.gradient(d, x)
            """,
    ),
    *marked(
        "zero_factor",
        residual_gate_at_zero="""
            class Rezero:
                def __init__(self):
                    self.alpha, self.k = tf.Variable(0.0), tf.Variable([[0.3, 0.1], [0.2, 0.4]])  #~ self.alpha, self.k = tf.Variable(0.5), tf.Variable([[0.3, 0.1], [0.2, 0.4]])
                def __call__(self, x):
                    return x + self.alpha * tf.tanh(tf.matmul(x, self.k))  #! =
            net = Rezero()
            with tf.GradientTape() as t:
                y = tf.reduce_sum(tf.square(net(tf.constant([[1.0, 2.0]]))))
            t.gradient(y, [net.k])
            """,
        weights_of_a_batch_all_zero="""
            w = tf.Variable([0.4, 0.2])
            sample = tf.zeros([2])  #~ sample = tf.ones([2])
            with tf.GradientTape() as t:
                losses = tf.square(w - tf.constant([1.0, 2.0]))
                loss = tf.reduce_sum(losses * sample)  #! =
            t.gradient(loss, w)
            """,
        output_layer_of_zeros="""
            a, b = tf.Variable([[0.3, 0.4]]), tf.Variable([[0.0], [0.0]])  #~ a, b = tf.Variable([[0.3, 0.4]]), tf.Variable([[0.1], [0.2]])
            with tf.GradientTape() as t:
                h = tf.tanh(tf.matmul(tf.constant([[1.0]]), a))
                out = tf.matmul(h, b)  #! =
                loss = tf.reduce_sum(out) + 1.0
            t.gradient(loss, a)
            """,
    ),
    *marked(
        "vanishing_depth",
        first_state_of_a_recurrence_beside_the_weights="""
            u, w, first = tf.Variable([[1.0, -1.0]]), tf.Variable([[0.2, 0.05], [-0.05, 0.2]]), tf.Variable([[0.5, -0.3]])
            xs = [tf.constant([[0.1 * (each % 5)]]) for each in range(30)]
            with tf.GradientTape() as t:
                h = first
                for x in xs:
                    h = tf.tanh(tf.matmul(h, w) + tf.matmul(x, u) * 0.1)  #! h = h + 0.1 * tf.matmul(x, u)
                loss = tf.reduce_mean(tf.square(h - 1.0))
            t.gradient(loss, [u, w, first])  #~ t.gradient(loss, [u, first])
            """,
        stack_of_layer_objects="""
            class Layer:
                def __init__(self, n):
                    self.w = tf.Variable([[0.2, 0.1], [0.1, 0.2]])
                def __call__(self, x):
                    return tf.sigmoid(tf.matmul(x, self.w))  #! return x + 0.1 * tf.matmul(x, self.w)
            layers = [Layer(i) for i in range(12)]
            h = tf.constant([[1.0, 2.0]])
            with tf.GradientTape() as t:
                for layer in layers:
                    h = layer(h)
                loss = tf.reduce_sum(h)
            t.gradient(loss, [each.w for each in layers])
            """,
        recurrence_in_a_function="""
            u, s = tf.Variable([[0.3]]), tf.Variable([[0.2]])
            def run(xs):
                state = tf.matmul(xs[0], s)
                for x in xs[1:]:
                    state = tf.tanh(tf.matmul(state, u) + x)  #! state = tf.tanh(state + x)
                return state
            with tf.GradientTape() as t:
                end = tf.reduce_sum(run([tf.constant([[0.1]])] * 30))
            t.gradient(end, s)
            """,
    ),
    *marked(
        "exploding_depth",
        powers_of_a_matrix="""
            m = tf.Variable([[3.0, 1.0], [0.5, 2.5]])
            v = tf.Variable([[1.0], [1.0]])
            with tf.GradientTape() as t:
                h = v
                for _ in range(20):
                    h = tf.matmul(m, h)  #! h = tf.tanh(tf.matmul(m, h))
                loss = tf.reduce_sum(h)
            t.gradient(loss, [m, v])
            """,
        doubling_residuals="""
            ws = [tf.Variable([[4.0]]) for _ in range(15)]
            def forward(x):
                for w in ws:
                    x = x + tf.matmul(x, w)  #! x = 0.2 * (x + tf.matmul(x, w))
                return x
            with tf.GradientTape() as t:
                y = tf.reduce_sum(forward(tf.Variable([[0.5]])))
            t.gradient(y, ws)
            """,
    ),
    *marked(
        "precision_underflow",
        squares_in_half="""
            w = tf.Variable([1e-4, 2e-4], dtype=tf.float16)
            with tf.GradientTape() as t:
                y = tf.cast(w, tf.float16) * tf.constant(1e-2, tf.float16)  #! y = tf.cast(w, tf.float32) * 1e-2
                small = tf.reduce_mean(y * tf.constant(1e-6, tf.float16))  #! small = tf.reduce_mean(y * 10.0)
            t.gradient(small, w)
            """,
        tiny_learning_target="""
            k = tf.Variable([0.5, 0.25])
            with tf.GradientTape() as t:
                h = tf.cast(k, tf.float16)
                h = h * tf.constant(3e-5, tf.float16)  #! h = tf.cast(h, tf.float32) * 3e-5
                loss = tf.reduce_sum(h * tf.constant(1e-4, tf.float16))  #! loss = tf.reduce_sum(h * 1e-1)
            t.gradient(loss, k)
            """,
    ),
    *marked(
        "sparse_gradient",
        clipped_by_hand="""
            # raises
            emb = tf.Variable([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
            with tf.GradientTape() as t:
                rows = tf.nn.embedding_lookup(emb, [0, 2])
                loss = tf.reduce_sum(rows * rows)
            g = t.gradient(loss, emb)
            flat = tf.concat([tf.reshape(each, [-1]) for each in [g.numpy()]], 0)  #! g = tf.convert_to_tensor(g)
            """,
    ),
    *marked(
        "untracked_parameter",
        built_lazily="""
            class Lazy:
                def __init__(self):
                    self.ws = []
                def __call__(self, x):
                    if not self.ws:
                        self.ws.append(tf.Variable([[0.3]]))
                    return tf.matmul(x, self.ws[0])
            net = Lazy()
            variables = list(net.ws)  #! net(tf.ones([1, 1]));;variables = list(net.ws)
            with tf.GradientTape() as t:
                y = tf.reduce_sum(net(tf.ones([1, 1])))
            t.gradient(y, variables)
            """,
        listed_before_build_and_used_in_a_function="""
            model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
            params = [w for layer in model.layers for w in layer.weights]  #! model.build((None, 2));;params = model.trainable_weights
            def step(x):
                with tf.GradientTape() as t:
                    loss = tf.reduce_mean(tf.square(model(x)))
                return t.gradient(loss, params)
            step(tf.ones([2, 2]))
            """,
        keras_model_before_build="""
            model = tf.keras.Sequential([tf.keras.layers.Dense(3, activation="tanh"), tf.keras.layers.Dense(1)])
            params = model.trainable_weights  #! model.build((None, 2));;params = model.trainable_weights
            with tf.GradientTape() as t:
                loss = tf.reduce_mean(tf.square(model(tf.ones([2, 2]))))
            t.gradient(loss, params)
            """,
    ),
    *marked(
        "api_misuse",
        one_pair_not_a_list="""
            # raises
            w = tf.Variable([1.0, 2.0])
            opt = tf.keras.optimizers.SGD(0.1)
            with tf.GradientTape() as t:
                l = tf.reduce_sum(w * w)
            g = t.gradient(l, w)
            opt.apply_gradients(zip(g, w))  #! opt.apply_gradients([(g, w)])
            """,
        apply_of_bare_gradients="""
            # raises
            ws = [tf.Variable(1.0), tf.Variable(2.0)]
            opt = tf.keras.optimizers.Adam(0.1)
            with tf.GradientTape() as t:
                l = ws[0] * ws[1]
            gs = t.gradient(l, ws)
            opt.apply_gradients(gs)  #! opt.apply_gradients(zip(gs, ws))
            """,
    ),
    *marked(
        "left_to_numpy",
        keras_predict="""
            model = tf.keras.Sequential([tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)])
            x = tf.ones([3, 2])
            model(x)
            with tf.GradientTape() as t:
                p = model(x).numpy()  #! p = model(x)
                loss = tf.reduce_mean(tf.square(p - 1.0))
            t.gradient(loss, model.trainable_variables)
            """,
        predict_of_frozen_features="""
            generator = tf.keras.Sequential([tf.keras.layers.Input((4,)), tf.keras.layers.Dense(3)])
            features = tf.keras.Sequential([tf.keras.layers.Input((3,)), tf.keras.layers.Dense(5)])
            features.trainable = False
            def distance(real, fake):
                f_real = features.predict(real, verbose=0)
                f_fake = features.predict(fake, batch_size=2, verbose=0)  #! f_fake = features(fake)
                return tf.reduce_mean(tf.abs(f_real - f_fake))
            with tf.GradientTape() as t:
                fake = generator(tf.ones([6, 4]))
                loss = distance(tf.ones([6, 3]), fake)
            t.gradient(loss, generator.trainable_variables)
            """,
        numpy_function_in_a_model="""
            class Corrector(tf.keras.Model):
                def __init__(self):
                    super().__init__()
                    self.dense = tf.keras.layers.Dense(3)
                def call(self, x):
                    y = self.dense(x)
                    z = tf.numpy_function(lambda a: np.tanh(a), [y], tf.float32)  #! z = tf.tanh(y)
                    z.set_shape(y.shape)
                    return z
            model, x = Corrector(), tf.ones([2, 3])
            with tf.GradientTape() as t:
                loss = tf.reduce_mean(tf.square(model(x) - x))
            t.gradient(loss, model.trainable_variables)
            """,
    ),
    *marked(
        "nondifferentiable_op",
        rows_that_are_rounded="""
            class Rounded(tf.keras.layers.Layer):
                def call(self, x):
                    return tf.map_fn(lambda row: tf.round(row), x)  #! return tf.map_fn(lambda row: row * 1.0, x)
            model = tf.keras.Sequential([tf.keras.layers.Input((3,)), tf.keras.layers.Dense(2), Rounded()])
            with tf.GradientTape() as t:
                loss = tf.reduce_mean(tf.square(model(tf.ones([4, 3]))))
            t.gradient(loss, model.trainable_variables)
            """,
    ),
    *marked(
        "outside_tape",
        keras_features_before="""
            enc = tf.keras.layers.Dense(2, activation="tanh")
            dec = tf.keras.layers.Dense(2)
            x = tf.ones([2, 2])
            code = enc(x)  #! enc.build((None, 2))
            with tf.GradientTape() as t:
                rec = dec(code)  #~ rec = dec(enc(x))
                loss = tf.reduce_mean(tf.square(rec - x))
            t.gradient(loss, enc.trainable_variables + dec.trainable_variables)
            """,
    ),
    *marked(
        "outside_tape",
        precomputed_kernel="""
            length = tf.Variable(0.7)
            xs = tf.constant([[0.0], [1.0], [2.0]])
            def rbf(a, b):
                return tf.exp(-tf.square(a - tf.transpose(b)) / (2.0 * length ** 2))
            K = rbf(xs, xs)  #! pass
            y = tf.constant([[1.0], [0.5], [0.2]])
            with tf.GradientTape() as tape:
                quad = tf.reduce_sum(y * tf.matmul(K + tf.eye(3), y))  #~ quad = tf.reduce_sum(y * tf.matmul(rbf(xs, xs) + tf.eye(3), y))
            tape.gradient(quad, length)
            """,
        model_called_twice_loss_on_first="""
            w = tf.Variable([[0.2], [0.1]])
            def model(x):
                return tf.matmul(x, w)
            x = tf.constant([[1.0, 3.0]])
            out = model(x)  #! pass
            with tf.GradientTape() as tape:
                model(x)  #~ out = model(x)
                err = tf.reduce_sum(tf.square(out - 1.0))
            tape.gradient(err, w)
            """,
        class_property_cached="""
            class Cov:
                def __init__(self):
                    self.log_scale = tf.Variable([0.1, 0.2])
                    self._cache = None
                def scale(self):
                    if self._cache is None:
                        self._cache = tf.exp(self.log_scale)  #! return tf.exp(self.log_scale)
                    return self._cache
            c = Cov()
            c.scale()  #! =
            with tf.GradientTape() as tape:
                v = tf.reduce_sum(tf.math.log(c.scale()))
            tape.gradient(v, c.log_scale)
            """,
        loss_function_after_context="""
            w = tf.Variable([1.0, 2.0, 3.0])
            def train_step(x, y):
                with tf.GradientTape() as tape:
                    pred = tf.reduce_sum(w * x)
                    pass  #~ loss = tf.square(pred - y)
                loss = tf.square(pred - y)  #!
                return tape.gradient(loss, w)
            train_step(tf.constant([1.0, 0.0, 2.0]), 3.0)
            """,
        normalised_weights_comprehension="""
            raws = [tf.Variable([0.1, 0.2]), tf.Variable([0.3, 0.4])]
            ws = [tf.nn.softmax(r) for r in raws]  #! pass
            with tf.GradientTape() as tape:
                z = tf.add_n([tf.reduce_sum(w * w) for w in ws])  #~ z = tf.add_n([tf.reduce_sum(tf.nn.softmax(w) ** 2) for w in raws])
            tape.gradient(z, raws)
            """,
    ),
    *marked(
        "nondifferentiable_op",
        heaviside_loss="""
            th = tf.Variable(0.4)
            x = tf.constant([0.1, 0.5, 0.9])
            with tf.GradientTape() as tape:
                above = tf.cast(x > th, tf.float32)  #! above = tf.sigmoid(10.0 * (x - th))
                rate = tf.reduce_mean(above)
            tape.gradient(rate, th)
            """,
        count_nonzero="""
            w = tf.Variable([0.0, 0.5, 1.0])
            with tf.GradientTape() as tape:
                l0 = tf.math.count_nonzero(w, dtype=tf.float32)  #! l0 = tf.reduce_sum(tf.abs(w))
                y = 0.1 * l0
            tape.gradient(y, w)
            """,
        floor_mod="""
            x = tf.Variable([1.7, 2.6])
            with tf.GradientTape() as tape:
                whole = x // 1.0  #! whole = x / 1.0
                y = tf.reduce_sum(whole * 2.0)
            tape.gradient(y, x)
            """,
        argmin_nearest="""
            p = tf.Variable([0.2, 0.8])
            centers = tf.constant([[0.0, 0.0], [1.0, 1.0]])
            with tf.GradientTape() as tape:
                k = tf.argmin(tf.reduce_sum((centers - p) ** 2, 1))  #! k = tf.nn.softmax(-tf.reduce_sum((centers - p) ** 2, 1))
                y = tf.reduce_sum(tf.gather(centers, k))  #~ y = tf.reduce_sum(k[:, None] * centers * tf.constant([[1.0], [2.0]]))
            tape.gradient(y, p)
            """,
        sign_in_layer="""
            class Binary(tf.keras.layers.Layer):
                def __init__(self):
                    super().__init__()
                    self.w = self.add_weight(shape=(2, 1), initializer="ones")
                def call(self, x):
                    return tf.matmul(x, tf.sign(self.w))  #! return tf.matmul(x, self.w)
            b = Binary()
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(b(tf.constant([[1.0, 2.0]])))
            tape.gradient(y, b.trainable_variables)
            """,
        reduce_any="""
            w = tf.Variable([0.4, -0.2])
            with tf.GradientTape() as tape:
                flag = tf.reduce_any(w > 0.3)  #! flag = tf.reduce_max(w)
                y = tf.cast(flag, tf.float32) * 3.0
            tape.gradient(y, w)
            """,
    ),
    *marked(
        "left_to_numpy",
        python_loop_over_tensor="""
            w = tf.Variable([1.0, 2.0, 3.0])
            with tf.GradientTape() as tape:
                h = w * w
                total = sum(float(v) for v in h)  #! total = tf.reduce_sum(h)
                y = tf.constant(total) / 2.0  #~ y = total / 2.0
            tape.gradient(y, w)
            """,
        numpy_clip="""
            a = tf.Variable([0.5, 2.5])
            with tf.GradientTape() as tape:
                c = np.clip(a * 1.5, 0.0, 10.0)  #! c = tf.clip_by_value(a * 1.5, 0.0, 10.0)
                y = tf.reduce_sum(tf.square(c))
            tape.gradient(y, a)
            """,
        numpy_linalg="""
            m = tf.Variable([[2.0, 1.0], [0.5, 1.5]])
            with tf.GradientTape() as tape:
                inv = np.linalg.inv(m.numpy())  #! inv = tf.linalg.inv(m)
                y = tf.linalg.trace(inv)
            tape.gradient(y, m)
            """,
        item_in_dict_return="""
            w = tf.Variable([0.3, 0.4])
            def metrics(p):
                return {"mse": tf.reduce_mean(p * p).numpy(), "mae": 0.0}  #! return {"mse": tf.reduce_mean(p * p), "mae": 0.0}
            with tf.GradientTape() as tape:
                loss = tf.constant(1.0) * metrics(w * 2.0)["mse"]
            tape.gradient(loss, w)
            """,
        int_cast_of_python="""
            w = tf.Variable(3.7)
            with tf.GradientTape() as tape:
                n = int(w)  #! n = w
                y = tf.reduce_sum(tf.ones([4]) * n)
            tape.gradient(y, w)
            """,
    ),
    *marked(
        "through_state",
        variable_list_updated="""
            slots = [tf.Variable(0.0), tf.Variable(0.0)]
            k = tf.Variable(1.5)
            with tf.GradientTape() as tape:
                for i, s in enumerate(slots):
                    s.assign(k * float(i + 1))  #! slots[i] = k * float(i + 1)
                y = slots[0] * slots[1]
            tape.gradient(y, k)
            """,
        position_update="""
            pos, vel = tf.Variable([0.0, 1.0]), tf.Variable([1.0, 0.5])
            with tf.GradientTape() as tape:
                for _ in range(2):
                    pos.assign_add(0.1 * vel)  #! pos = pos + 0.1 * vel
                d = tf.reduce_sum(pos * pos)
            tape.gradient(d, vel)
            """,
        slice_assign="""
            canvas = tf.Variable(tf.zeros([2, 2]))
            ink = tf.Variable(0.7)
            with tf.GradientTape() as tape:
                canvas[0, 1].assign(ink * 2.0)  #! canvas = tf.tensor_scatter_nd_update(canvas, [[0, 1]], [ink * 2.0])
                y = tf.reduce_sum(tf.square(canvas))
            tape.gradient(y, ink)
            """,
    ),
    *marked(
        "unused_source",
        wrong_variable_in_formula="""
            w1, w2 = tf.Variable([[0.1, 0.4], [0.2, 0.2]]), tf.Variable([[0.3, 0.1], [0.9, 0.5]])
            x = tf.constant([[1.0, 2.0]])
            with tf.GradientTape() as tape:
                h = tf.tanh(tf.matmul(x, w1))
                y = tf.matmul(h, w1)  #! y = tf.matmul(h, w2)
                loss = tf.reduce_sum(y)  #! =
            tape.gradient(loss, [w1, w2])  #! =
            """,
        return_of_wrong_output="""
            class Vae:
                def __init__(self):
                    self.e, self.d = tf.Variable([[0.3], [0.2]]), tf.Variable([[0.4, 0.6]])
                def __call__(self, x):
                    z = tf.matmul(x, self.e)
                    rec = tf.matmul(z, self.d)
                    return z  #! return rec
            v = Vae()
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(v(tf.ones([2, 2])) - 1.0))  #! =
            tape.gradient(loss, [v.e, v.d])
            """,
        loss_of_labels_and_constant="""
            w = tf.Variable(0.5)
            with tf.GradientTape() as tape:
                pred = tf.sigmoid(w * 3.0)
                loss = tf.keras.losses.mse(tf.ones([1]), tf.zeros([1]))  #! loss = tf.keras.losses.mse(tf.ones([1]), [pred])
            tape.gradient(loss, w)
            """,
    ),
    *marked(
        "not_watched",
        keras_input_batch="""
            layer = tf.keras.layers.Dense(2, activation="tanh")
            batch = tf.constant([[0.1, 0.2]])  #! batch = tf.Variable([[0.1, 0.2]])
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(layer(batch))
            dx, dk = tape.gradient(y, [batch, layer.kernel])
            """,
        loop_variable_constant="""
            for t in (0.0, 0.5):
                time = tf.constant(t)  #! time = tf.Variable(t)
                with tf.GradientTape() as tape:
                    pos = 3.0 * time ** 2
                v = tape.gradient(pos, time)
            """,
        numpy_data_converted="""
            data = np.linspace(0, 1, 4).astype("float32")
            x = tf.convert_to_tensor(data)  #! x = tf.Variable(data)
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(x ** 3)
            tape.gradient(y, x)
            """,
    ),
    *marked(
        "source_is_other_object",
        stacked_params="""
            a, b = tf.Variable(1.0), tf.Variable(2.0)
            with tf.GradientTape() as tape:
                y = a * a + b * b * b
            theta = tf.stack([a, b])  #! theta = [a, b]
            tape.gradient(y, theta)
            """,
        element_of_a_vector="""
            v = tf.Variable([1.0, 2.0, 3.0])
            with tf.GradientTape() as tape:
                y = tf.reduce_prod(v)
            tape.gradient(y, v[1])  #! tape.gradient(y, v)
            """,
    ),
    *marked(
        "custom_gradient_bug",
        wrong_count_of_grads="""
            # raises
            @tf.custom_gradient
            def weighted(a, b, c):
                def grad(up):
                    return up * b, up * a  #! return up * b, up * a, up
                return a * b + c, grad
            a, b, c = tf.Variable(1.0), tf.Variable(2.0), tf.Variable(3.0)
            with tf.GradientTape() as tape:
                y = weighted(a, b, c)
            tape.gradient(y, [a, b, c])
            """,
        none_in_a_lambda="""
            @tf.custom_gradient
            def squash(x):
                return tf.tanh(x), lambda up: None  #! return tf.tanh(x), lambda up: up * (1.0 - tf.tanh(x) ** 2)
            x = tf.Variable([0.1, 0.2])
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(squash(x))
            tape.gradient(y, x)
            """,
        numpy_in_gradient_function="""
            @tf.custom_gradient
            def cube(x):
                def grad(up):
                    return tf.constant(3.0 * np.square(x.numpy()))  #! return up * 3.0 * x * x
                return x ** 3, grad
            x = tf.Variable(2.0)
            with tf.GradientTape() as tape:
                y = 5.0 * cube(x)
            tape.gradient(y, x)
            """,
    ),
    *marked(
        "dead_activation",
        keras_relu_layer_bias="""
            layer = tf.keras.layers.Dense(3, activation="relu", bias_initializer=tf.keras.initializers.Constant(-30.0))  #~ layer = tf.keras.layers.Dense(3, activation="relu", bias_initializer=tf.keras.initializers.Constant(3.0))
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(layer(tf.ones([2, 2])))  #! =
            tape.gradient(y, layer.trainable_variables)
            """,
        large_step_killed_units="""
            w, b = tf.Variable([[0.5], [0.5]]), tf.Variable([0.1])
            x = tf.constant([[1.0, 1.0], [2.0, 1.0]])
            for rate in (50.0, 0.1):  #~ for rate in (0.01, 0.1):
                with tf.GradientTape() as tape:
                    h = tf.nn.relu(tf.matmul(x, w) + b)  #! =
                    loss = tf.reduce_mean(tf.square(h - 0.5))
                gw, gb = tape.gradient(loss, [w, b])
                w.assign_sub(rate * gw)
                b.assign_sub(rate * gb)
            """,
    ),
    *marked(
        "domain_edge",
        softmax_then_log_zero="""
            z = tf.Variable([200.0, 0.0, 0.0])
            with tf.GradientTape() as tape:
                p = tf.nn.softmax(z)
                ce = -tf.math.log(p)[1]  #! ce = -tf.nn.log_softmax(z)[1]
            tape.gradient(ce, z)
            """,
    ),
    *marked(
        "nan_in_forward domain_edge",
        direction_of_nothing="""
            def unit(v):
                return v / tf.norm(v)  #! return v / (tf.sqrt(tf.reduce_sum(v * v) + 1e-9))
            w = tf.Variable([0.0, 0.0])
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(unit(w) * tf.constant([1.0, 2.0]) + w)
            tape.gradient(y, w)
            """,
    ),
    *marked(
        "source_is_other_object",
        made_anew_in_a_call="""
            class Scale(tf.Module):
                def __init__(self):
                    self.w = tf.Variable([1.0, 2.0])
                def __call__(self, x):
                    self.w = tf.Variable([1.0, 2.0])  #!
                    return x * self.w
            scale = Scale()
            w = scale.w
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(scale(tf.constant([1.0, 3.0])))
            tape.gradient(loss, w)
            """,
        layer_makes_its_weight_in_call="""
            class Scale(tf.keras.layers.Layer):
                def build(self, shape):
                    pass  #~ self.w = tf.Variable([1.0, 2.0])
                def call(self, x):
                    self.w = tf.Variable([1.0, 2.0])  #!
                    return x * self.w
            scale = Scale()
            scale(tf.ones([1, 2]))
            kept = scale.w
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(scale(tf.ones([3, 2])))
            tape.gradient(loss, kept)
            """,
    ),
]
