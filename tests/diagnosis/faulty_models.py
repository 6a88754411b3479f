"""Programs with one fault each, in the shape of whole models: layers, loops, losses in parts, two networks."""
# ruff: noqa: E501  (a repaired line stands beside the faulty one)

from __future__ import annotations

from tests.diagnosis.programs import marked

MODELS = [
    *marked(
        "not_watched",
        adversarial_batch="""
            def attack(model, images, labels, size):
                with tf.GradientTape() as tape:
                    pass  #~ tape.watch(images)
                    logits = model(images)
                    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits))
                slope = tape.gradient(loss, images)
                return None if slope is None else images + size * tf.sign(slope)
            model = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="tanh"), tf.keras.layers.Dense(2)])
            images = tf.random.uniform([3, 5])  #! =
            labels = tf.one_hot(tf.constant([0, 1, 1]), 2)
            attack(model, images, labels, 0.1)
            """,
        points_of_an_equation="""
            w, v = tf.Variable([[0.4, -0.3, 0.8]]), tf.Variable([[0.2], [0.5], [-0.7]])
            def u(t):
                return tf.matmul(tf.tanh(tf.matmul(t, w)), v)
            t = tf.reshape(tf.linspace(0.0, 1.0, 5), [5, 1])  #! =
            with tf.GradientTape() as outer:
                with tf.GradientTape() as inner:
                    pass  #~ inner.watch(t)
                    y = u(t)
                dy = inner.gradient(y, t)
            """,
        only_one_of_two_inputs="""
            a, b = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])  #! =
            with tf.GradientTape() as tape:
                tape.watch(a)  #~ tape.watch([a, b])
                distance = tf.reduce_sum(tf.square(a - b))
            ga, gb = tape.gradient(distance, [a, b])
            """,
        hidden_state_asked_for="""
            states = {"h": tf.zeros([1, 2]), "c": tf.zeros([1, 2])}  #! states = {"h": tf.Variable(tf.zeros([1, 2])), "c": tf.Variable(tf.zeros([1, 2]))}
            w = tf.Variable([[0.3, 0.1], [0.2, -0.4]])
            with tf.GradientTape() as tape:
                c = 0.9 * states["c"] + tf.matmul(states["h"], w)
                h = tf.tanh(c + 0.5)
                loss = tf.reduce_sum(h)
            g = tape.gradient(loss, states)
            """,
    ),
    *marked(
        "watched_too_late",
        one_layer_too_late="""
            w1, w2 = tf.constant([[0.4, 0.2]]), tf.Variable([[0.7], [0.1]])
            x = tf.constant([[2.0]])
            with tf.GradientTape() as tape:
                h = tf.nn.relu(tf.matmul(x, w1))  #~ tape.watch(x);;h = tf.nn.relu(tf.matmul(x, w1))
                tape.watch(x)  #!
                y = tf.matmul(h, w2)
            g = tape.gradient(y, x)
            """,
        watched_by_a_helper="""
            def follow(tape, *tensors):
                for each in tensors:
                    tape.watch(each)  #! tape.watch(each)
            x, z = tf.constant(0.3), tf.constant(1.2)
            with tf.GradientTape() as tape:
                y = tf.exp(x) * z  #~ follow(tape, x, z);;y = tf.exp(x) * z
                follow(tape, x, z)  #! pass
            g = tape.gradient(y, [x, z])
            """,
    ),
    *marked(
        "source_is_other_object unused_source",
        copy_for_the_optimizer="""
            class Model:
                def __init__(self):
                    self.weights = [tf.Variable([0.5, 0.1]), tf.Variable(0.3)]
                def __call__(self, x):
                    return tf.reduce_sum(self.weights[0] * x) + self.weights[1]
            model = Model()
            saved = [tf.identity(each) for each in model.weights]  #! saved = model.weights
            with tf.GradientTape() as tape:
                loss = tf.square(model(tf.constant([1.0, 2.0])) - 1.0)
            g = tape.gradient(loss, saved)
            """,
        other_network="""
            online = tf.keras.layers.Dense(2, name="online")
            target = tf.keras.layers.Dense(2, name="target")
            x = tf.constant([[1.0, 2.0, 3.0]])
            online(x); target(x)
            with tf.GradientTape() as tape:
                values = online(x)
                loss = tf.reduce_mean(tf.square(values - 1.0))
            g = tape.gradient(loss, target.trainable_variables)  #! g = tape.gradient(loss, online.trainable_variables)
            """,
        row_of_the_table="""
            table = tf.Variable([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
            word = table[1]  #!
            with tf.GradientTape() as tape:
                score = tf.reduce_sum(tf.square(tf.gather(table, [1, 2])))
            g = tape.gradient(score, word)  #~ g = tape.gradient(score, table)
            """,
        reshaped_copy="""
            x = tf.Variable([1.0, 2.0, 3.0, 4.0])
            with tf.GradientTape() as tape:
                image = tf.reshape(x, [2, 2])
                y = tf.reduce_sum(tf.matmul(image, image))
            square = tf.reshape(x, [2, 2])  #! =
            g = tape.gradient(y, square)  #~ g = tape.gradient(y, x)
            """,
        layer_called_twice="""
            def dense(x, size):
                w = tf.Variable(tf.ones([2, size]) * 0.3)  #! =
                return tf.matmul(x, w), w
            x = tf.constant([[1.0, 2.0]])
            _, kernel = dense(x, 3)  #~ pass
            with tf.GradientTape() as tape:
                y, _ = dense(x, 3)  #~ y, kernel = dense(x, 3)
                loss = tf.reduce_sum(y * y)
            g = tape.gradient(loss, kernel)
            """,
    ),
    *marked(
        "source_rebound",
        clipped_weights="""
            w, b = tf.Variable([[0.5], [2.0]]), tf.Variable(0.1)
            w = tf.clip_by_value(w, -1.0, 1.0)  #! w.assign(tf.clip_by_value(w, -1.0, 1.0))
            x = tf.constant([[1.0, 2.0]])
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(tf.matmul(x, w) + b)
            gw, gb = tape.gradient(y, [w, b])
            """,
        weights_replaced_in_a_method="""
            class Line:
                def __init__(self):
                    self.slope = tf.Variable([0.5, 2.0])
                def step(self, x):
                    with tf.GradientTape() as tape:
                        loss = tf.reduce_sum(tf.square(self.slope * x))
                    g = tape.gradient(loss, self.slope)
                    if g is not None:
                        self.slope = self.slope - 0.1 * g  #! self.slope.assign(self.slope - 0.1 * g)
                    return g
            model = Line()
            g = [model.step(tf.constant([1.0, 2.0])) for _ in range(2)]
            """,
        list_taken_before_a_method_replaces="""
            class Line:
                def __init__(self):
                    self.slope = tf.Variable([0.5, 2.0])
                def move(self, g):
                    self.slope = self.slope - 0.1 * g  #~ self.slope.assign(self.slope - 0.1 * g)
            model = Line()
            kept = model.slope
            for _ in range(2):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(tf.square(model.slope))
                g = tape.gradient(loss, kept)
                if g is not None:
                    model.move(g)  #! =
            """,
        dictionary_of_parameters="""
            params = {"w": tf.Variable([1.0, 2.0]), "b": tf.Variable(0.5)}
            for step in range(3):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(tf.square(params["w"])) + tf.square(params["b"])
                grads = tape.gradient(loss, params)
                if grads["w"] is not None:
                    params["w"] = params["w"] - 0.1 * grads["w"]  #! params["w"].assign_sub(0.1 * grads["w"])
                    params["b"].assign_sub(0.1 * grads["b"])
            """,
        projected_step="""
            def project(v):
                return v / tf.norm(v)
            x = tf.Variable([1.0, -2.0])
            for _ in range(2):
                with tf.GradientTape() as tape:
                    f = tf.reduce_sum(x ** 4)
                g = tape.gradient(f, x)
                if g is not None:
                    x.assign_sub(0.01 * g)
                    x = project(x)  #! x.assign(project(x))
            """,
    ),
    *marked(
        "not_trainable",
        frozen_layer="""
            class Scale(tf.keras.layers.Layer):
                def build(self, shape):
                    self.size = self.add_weight(shape=(2,), initializer="ones", trainable=False)  #! self.size = self.add_weight(shape=(2,), initializer="ones")
                def call(self, x):
                    return x * self.size
            scale, head = Scale(), tf.keras.layers.Dense(1)
            x = tf.constant([[1.0, 2.0]])
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(head(scale(x)) - 1.0))
            g = tape.gradient(loss, scale.weights + head.weights)
            """,
        statistics_of_a_layer="""
            model = tf.keras.Sequential([tf.keras.layers.Dense(2), tf.keras.layers.BatchNormalization()])
            x = tf.constant([[1.0, 2.0], [0.5, -1.0], [2.0, 0.3]])
            model(x)
            everything = model.variables  #! everything = model.trainable_variables
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(model(x, training=True) - 1.0))
            g = tape.gradient(loss, everything)
            """,
        statistics_among_the_weights="""
            mean = tf.Variable([0.0, 0.0], trainable=False, name="mean")  #! mean = tf.Variable([0.0, 0.0], name="mean")
            gamma = tf.Variable([1.0, 1.0], name="gamma")
            x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
            with tf.GradientTape() as tape:
                y = gamma * (x - mean)
                loss = tf.reduce_sum(tf.square(y))
            grads = tape.gradient(loss, [gamma, mean])
            """,
    ),
    *marked(
        "integer_dtype",
        counted_words="""
            counts = tf.constant([[3, 0, 1], [1, 2, 2]])  #! counts = tf.constant([[3.0, 0.0, 1.0], [1.0, 2.0, 2.0]])
            w = tf.Variable([[0.1], [0.2], [0.3]])
            with tf.GradientTape() as tape:
                tape.watch(counts)
                score = tf.reduce_sum(tf.matmul(tf.cast(counts, tf.float32), w))
            g = tape.gradient(score, counts)
            """,
        pixel_position="""
            centre = tf.Variable([1.2, 0.7])
            image = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
            with tf.GradientTape() as tape:
                place = tf.cast(centre, tf.int32)  #! place = tf.constant([1, 0])
                brightness = tf.gather_nd(image, [place])  #~ brightness = tf.reduce_sum(centre * image[0])
                loss = tf.reduce_sum(tf.square(brightness - 2.0))
            g = tape.gradient(loss, centre)
            """,
        token_ids="""
            ids = tf.constant([2, 0])  #! =
            table = tf.Variable([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
            with tf.GradientTape() as tape:
                tape.watch(ids)
                vectors = tf.gather(table, ids)
                loss = tf.reduce_sum(vectors * vectors)
            g = tape.gradient(loss, ids)  #~ g = tape.gradient(loss, table)
            """,
        power_of_a_whole_number="""
            n = tf.Variable(5)  #! n = tf.Variable(5.0)
            with tf.GradientTape() as tape:
                area = tf.cast(n * n, tf.float32) * 3.14
            g = tape.gradient(area, n)
            """,
    ),
    *marked(
        "outside_tape",
        lazily_computed_property="""
            class Gaussian:
                def __init__(self, mean, log_scale):
                    self.mean = tf.Variable(mean)
                    self.log_scale = tf.Variable(log_scale)
                    self.scale = tf.exp(self.log_scale)  #! pass
                def log_prob(self, x):
                    pass  #~ self.scale = tf.exp(self.log_scale)
                    z = (x - self.mean) / self.scale
                    return -0.5 * z * z - tf.math.log(self.scale)
            model = Gaussian(0.5, -0.3)
            with tf.GradientTape() as tape:
                nll = -tf.reduce_sum(model.log_prob(tf.constant([0.1, 0.9, 2.0])))
            g = tape.gradient(nll, [model.mean, model.log_scale])
            """,
        loss_after_the_block="""
            model = tf.keras.layers.Dense(1)
            x, y = tf.constant([[1.0, 2.0], [3.0, 1.0]]), tf.constant([[1.0], [0.0]])
            with tf.GradientTape() as tape:
                predicted = model(x)
                pass  #~ error = predicted - y;;loss = tf.reduce_mean(tf.square(error))
            error = predicted - y  #! pass
            loss = tf.reduce_mean(tf.square(error))  #~ pass
            grads = tape.gradient(loss, model.trainable_variables)
            """,
        rotation_built_once="""
            angle = tf.Variable(0.3)
            def rotation(a):
                return tf.stack([[tf.cos(a), -tf.sin(a)], [tf.sin(a), tf.cos(a)]])
            matrix = rotation(angle)  #! pass
            points = tf.constant([[1.0, 0.0], [0.5, 2.0]])
            for step in range(2):
                with tf.GradientTape() as tape:
                    pass  #~ matrix = rotation(angle)
                    moved = tf.matmul(points, matrix)
                    loss = tf.reduce_mean(tf.square(moved - 1.0))
                g = tape.gradient(loss, angle)
            """,
        target_scaled_in_the_call="""
            w = tf.Variable([1.0, 2.0])
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(w))
            g = tape.gradient(loss / 2.0, w)  #! g = tape.gradient(loss, w)
            """,
        prior_in_the_objective="""
            mu, rho = tf.Variable([0.2, -0.1]), tf.Variable([0.5, 0.4])
            sigma = tf.math.softplus(rho)  #! pass
            x = tf.constant([1.0, 2.0])
            with tf.GradientTape() as tape:
                pass  #~ sigma = tf.math.softplus(rho)
                weight = mu + sigma * tf.constant([0.3, -0.6])
                likelihood = tf.reduce_sum(tf.square(weight * x - 1.0))
                prior = tf.reduce_sum(tf.square(mu))
                objective = likelihood + prior
            g = tape.gradient(objective, [mu, rho])
            """,
        activations_of_a_list="""
            layers = [tf.Variable([[0.2, 0.4], [0.1, 0.3]]), tf.Variable([[0.5], [0.6]])]
            x = tf.constant([[1.0, 2.0]])
            first = tf.nn.relu(tf.matmul(x, layers[0]))  #! pass
            with tf.GradientTape() as tape:
                pass  #~ first = tf.nn.relu(tf.matmul(x, layers[0]))
                for w in layers[1:]:
                    first = tf.matmul(first, w)
                loss = tf.reduce_sum(first)
            grads = tape.gradient(loss, layers)
            """,
    ),
    *marked(
        "recording_disabled",
        pause_around_the_encoder="""
            enc, dec = tf.Variable([[0.3], [0.2]]), tf.Variable([[0.4, 0.1]])
            def encode(x):
                return tf.nn.elu(tf.matmul(x, enc))
            x = tf.constant([[1.0, 2.0]])
            with tf.GradientTape() as tape:
                with tape.stop_recording():  #~ if True:
                    code = encode(x)  #! =
                back = tf.matmul(code, dec)
                loss = tf.reduce_mean(tf.square(back - x))
            g = tape.gradient(loss, [enc, dec])
            """,
    ),
    *marked(
        "no_higher_order_record",
        hessian_of_two_loops="""
            x = tf.Variable([1.0, 2.0])
            with tf.GradientTape(persistent=True) as tape:
                f = tf.reduce_sum(x ** 3)
                pass  #~ g = tape.gradient(f, x)
            g = tape.gradient(f, x)  #! pass
            h = tape.gradient(g, x)
            """,
        meta_step_without_the_outer_tape="""
            w = tf.Variable([0.5, 1.5]); rate = tf.Variable(0.1)
            with tf.GradientTape() as inner:
                fit = tf.reduce_sum(tf.square(w - 1.0))
            slope = inner.gradient(fit, w)  #! =
            with tf.GradientTape() as outer:
                fast = w - rate * slope
                quality = tf.reduce_sum(tf.square(slope))  #~ quality = tf.reduce_sum(tf.square(fast))
            g = outer.gradient(quality, w)
            """,
    ),
    *marked(
        "left_to_numpy",
        stacked_in_numpy="""
            a, b = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])
            with tf.GradientTape() as tape:
                m = np.stack([a * 2.0, b])  #! m = tf.stack([a * 2.0, b])
                area = tf.reduce_prod(tf.constant(m))  #~ area = tf.reduce_prod(m)
            ga, gb = tape.gradient(area, [a, b])
            """,
        normalised_by_hand="""
            w = tf.Variable([[0.2, 0.5], [0.4, 0.3]])
            x = tf.constant([[1.0, 2.0], [0.5, 0.1]])
            def normalise(a):
                return (a - a.mean(axis=0)) / a.std(axis=0)
            with tf.GradientTape() as tape:
                h = tf.matmul(x, w)
                z = normalise(h.numpy())  #! z = h - tf.reduce_mean(h, axis=0)
                loss = tf.reduce_sum(tf.convert_to_tensor(z) * [[1.0, 2.0], [3.0, 5.0]])
            g = tape.gradient(loss, w)
            """,
        filled_buffer="""
            w = tf.Variable([0.5, 0.25])
            x = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], np.float32)
            with tf.GradientTape() as tape:
                out = np.zeros(3, np.float32)  #~ out = []
                for i in range(3):
                    out[i] = tf.reduce_sum(w * x[i])  #! out.append(tf.reduce_sum(w * x[i]))
                loss = tf.reduce_mean(tf.square(out))
            g = tape.gradient(loss, w)
            """,
        formatted_and_parsed="""
            w = tf.Variable(1.25)
            with tf.GradientTape() as tape:
                y = tf.square(w) + 0.3
                price = round(float(y), 2)  #! price = y
                loss = tf.constant(3.0) * price
            g = tape.gradient(loss, w)
            """,
        physics_in_numpy="""
            def simulate(v):
                t = np.linspace(0.1, 1.0, 4)
                return np.sum(v * t - 4.9 * t ** 2)  #! t = tf.linspace(0.1, 1.0, 4);;return tf.reduce_sum(v * t - 4.9 * t ** 2)
            speed = tf.Variable(3.0)
            with tf.GradientTape() as tape:
                height = simulate(speed)
                miss = tf.square(tf.cast(height, tf.float32) - 2.0)
            g = tape.gradient(miss, speed)
            """,
        loss_is_a_python_number="""
            w = tf.Variable([2.0, 1.0])
            total = 0.0
            with tf.GradientTape() as tape:
                for x in ([1.0, 0.0], [0.5, 0.5]):
                    total += tf.reduce_sum(w * x).numpy().item()  #! total += tf.reduce_sum(w * x)
                loss = tf.constant(total)  #~ loss = total
            g = tape.gradient(loss, w)
            """,
    ),
    *marked(
        "rebuilt_as_leaf",
        weights_from_a_hypernetwork="""
            class Hyper:
                def __init__(self):
                    self.seed = tf.Variable([[0.1, 0.7]])
                    self.mix = tf.Variable([[0.3, 0.1], [0.2, 0.6]])
                def kernel(self):
                    made = tf.matmul(self.seed, self.mix)
                    return tf.Variable(made)  #! return made
            hyper = Hyper()
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(tf.square(hyper.kernel() * [[1.0], [2.0]]))
            g = tape.gradient(y, [hyper.seed, hyper.mix])
            """,
        parameters_gathered_in_one="""
            scale, shift = tf.Variable(2.0), tf.Variable(0.5)
            both = tf.Variable(tf.stack([scale, shift]))  #! pass
            with tf.GradientTape() as tape:
                pass  #~ both = tf.stack([scale, shift])
                y = tf.reduce_sum(both[0] * tf.constant([1.0, 2.0]) + both[1])
            g = tape.gradient(y, [scale, shift])
            """,
    ),
    *marked(
        "stop_gradient",
        both_sides_of_a_siamese_loss="""
            w, p = tf.Variable([[0.3, 0.1], [0.5, 0.2]]), tf.Variable([[0.4, 0.9], [0.1, 0.2]])
            def similarity(a, b):
                return tf.reduce_sum(tf.nn.l2_normalize(a, 1) * tf.stop_gradient(tf.nn.l2_normalize(b, 1)))
            x1, x2 = tf.constant([[1.0, 2.0]]), tf.constant([[1.5, 1.0]])
            with tf.GradientTape() as tape:
                z1, z2 = tf.matmul(x1, w), tf.matmul(x2, w)
                loss = -similarity(tf.stop_gradient(tf.matmul(z1, p)), z2)  #! loss = -similarity(tf.matmul(z1, p), z2)
            g = tape.gradient(loss, [w, p])
            """,
        frozen_features_by_mistake="""
            trunk, head = tf.keras.layers.Dense(3, activation="tanh"), tf.keras.layers.Dense(1)
            x = tf.constant([[1.0, -1.0], [0.5, 2.0]])
            trunk(x)
            with tf.GradientTape() as tape:
                features = tf.stop_gradient(trunk(x))  #! features = trunk(x)
                loss = tf.reduce_mean(tf.square(head(features) - 1.0))
            g = tape.gradient(loss, trunk.trainable_variables)
            """,
    ),
    *marked(
        "through_state",
        kept_hidden_state="""
            class Cell:
                def __init__(self):
                    self.w = tf.Variable([[0.5, 0.1], [0.2, 0.4]])
                    self.state = tf.Variable([[0.1, 0.2]], trainable=False)
                def __call__(self, x):
                    self.state.assign(tf.tanh(tf.matmul(self.state, self.w) + x))  #! self.state = tf.tanh(tf.matmul(self.state, self.w) + x)
                    return self.state
            cell = Cell()
            with tf.GradientTape() as tape:
                for x in ([[1.0, 0.0]], [[0.0, 1.0]]):
                    out = cell(x)
                loss = tf.reduce_sum(out * out)
            g = tape.gradient(loss, cell.w)
            """,
        metric_as_loss="""
            w = tf.Variable([[0.5], [0.2]])
            x, y = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0], [0.0]])
            mean = tf.keras.metrics.Mean()  #~ mean = tf.reduce_mean
            with tf.GradientTape() as tape:
                predicted = tf.matmul(x, w)
                loss = mean(tf.square(y - predicted))  #! =
            g = tape.gradient(loss, w)
            """,
        total_in_a_variable="""
            w = tf.Variable([1.0, 2.0])
            total = tf.Variable(0.0)
            with tf.GradientTape() as tape:
                total.assign(0.0)
                for x in ([0.1, 0.2], [0.3, 0.4]):
                    total.assign_add(tf.reduce_sum(tf.square(w * x)))  #! total = total + tf.reduce_sum(tf.square(w * x))
            g = tape.gradient(total, w)
            """,
    ),
    *marked(
        "unused_source",
        variable_left_out_beside_others="""
            class Layer(tf.Module):
                def __init__(self):
                    self.w = tf.Variable([[0.3, 0.2], [0.1, 0.5]])
                    self.b = tf.Variable([0.1, 0.2])
                def __call__(self, x):
                    return tf.tanh(x @ self.w)  #! return tf.tanh(x @ self.w + self.b)
            layer = Layer()
            with tf.GradientTape() as tape:
                h = layer(tf.constant([[1.0, 2.0]]))
                loss = tf.reduce_sum(h ** 2)
            g = tape.gradient(loss, [layer.w, layer.b])
            """,
    ),
    *marked(
        "source_is_other_object",
        variables_of_the_target_network="""
            def values(net, s):
                return tf.tanh(s @ net[0]) @ net[1]
            q, target_q = ([tf.Variable(tf.random.normal((2, 3))), tf.Variable(tf.random.normal((3, 1)))] for _ in "12")
            s = tf.constant([[1.0, 2.0]])
            wanted = 1.0 + 0.9 * values(target_q, s)
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((values(q, s) - wanted) ** 2)
            g = tape.gradient(loss, target_q)  #! g = tape.gradient(loss, q)
            """,
    ),
    *marked(
        "not_watched",
        tensor_of_the_caller_of_the_caller="""
            def slope(x):
                with tf.GradientTape() as tape:
                    pass  #~ tape.watch(x)
                    y = tf.reduce_sum(x ** 3)
                return tape.gradient(y, x)
            def main():
                x = tf.ones(3) * 2.0  #! =
                return slope(x)
            main()
            """,
    ),
    *marked(
        "constant_by_construction",
        curvature_that_is_only_computed_with="""
            w, x = tf.Variable([[0.5, -0.3]]), tf.Variable([[1.0], [2.0]])
            with tf.GradientTape() as outer:
                with tf.GradientTape() as inner:
                    u = tf.nn.relu(x @ w)  #! u = tf.tanh(x @ w)
                du = inner.gradient(u, x)
                slope = du ** 2  #! =
            d2u = outer.gradient(slope, x)
            loss = tf.reduce_mean((1.0 - d2u) ** 2)
            """,
    ),
    *marked(
        "unused_source",
        skipped_layer="""
            class Net:
                def __init__(self):
                    self.a = tf.Variable([[0.3, 0.2], [0.1, 0.5]])
                    self.b = tf.Variable([[0.2, 0.9], [0.4, 0.1]])
                    self.c = tf.Variable([[0.6], [0.7]])
                def __call__(self, x):
                    h = tf.nn.relu(tf.matmul(x, self.a))
                    deep = tf.nn.relu(tf.matmul(h, self.b))
                    return tf.matmul(h, self.c)  #! return tf.matmul(deep, self.c)
            net = Net()
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(net(tf.constant([[1.0, 2.0]])))
            g = tape.gradient(loss, [net.a, net.b, net.c])
            """,
        old_prediction="""
            w, v = tf.Variable(0.5), tf.Variable(0.8)
            x, y = tf.constant([1.0, 2.0]), tf.constant([0.0, 1.0])
            with tf.GradientTape() as tape:
                first = w * x
                second = first + v * tf.square(x)
                loss = tf.reduce_mean(tf.square(first - y))  #! loss = tf.reduce_mean(tf.square(second - y))
            g = tape.gradient(loss, [w, v])
            """,
        constant_in_place_of_the_input="""
            x = tf.Variable([1.0, 2.0])
            fixed = tf.constant([0.5, 0.5])
            def energy(position):
                return tf.reduce_sum(tf.square(fixed))  #! return tf.reduce_sum(tf.square(position))
            with tf.GradientTape() as tape:
                e = energy(x)
            force = tape.gradient(e, x)
            """,
    ),
    *marked(
        "nondifferentiable_op",
        straight_quantiser="""
            w = tf.Variable([0.31, -0.78])
            def quantise(t, bits):
                levels = 2.0 ** bits - 1.0
                return tf.round(t * levels) / levels  #! return t + tf.stop_gradient(tf.round(t * levels) / levels - t)
            with tf.GradientTape() as tape:
                q = quantise(w, 4)
                loss = tf.reduce_sum(tf.square(q * [1.0, 2.0] - 0.5))
            g = tape.gradient(loss, w)
            """,
        accuracy_as_loss="""
            w = tf.Variable([[0.5, 0.1], [0.2, 0.3]])
            x, y = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([0, 1])
            with tf.GradientTape() as tape:
                logits = tf.matmul(x, w)
                guess = tf.argmax(logits, axis=1, output_type=tf.int32)  #! =
                right = tf.cast(tf.equal(guess, y), tf.float32)
                loss = 1.0 - tf.reduce_mean(right)  #~ loss = tf.reduce_mean(tf.nn.softmax(logits)[:, 0])
            g = tape.gradient(loss, w)
            """,
        hard_threshold_mask="""
            a = tf.Variable([0.2, 0.8, 0.6])
            with tf.GradientTape() as tape:
                on = tf.greater(a, 0.5)  #! on = tf.sigmoid(20.0 * (a - 0.5))
                share = tf.reduce_mean(tf.cast(on, tf.float32))
            g = tape.gradient(share, a)
            """,
        counted_with_where="""
            w = tf.Variable([0.4, -0.2, 0.9])
            with tf.GradientTape() as tape:
                sparse = tf.math.count_nonzero(w, dtype=tf.float32)  #! sparse = tf.reduce_sum(tf.abs(w))
                penalty = 0.1 * sparse
            g = tape.gradient(penalty, w)
            """,
        ranks_of_scores="""
            s = tf.Variable([0.3, 0.1, 0.7])
            with tf.GradientTape() as tape:
                place = tf.argsort(tf.argsort(s))  #! place = tf.nn.softmax(s)
                gain = tf.reduce_sum(tf.cast(place, tf.float32) * [1.0, 0.0, 2.0])
            g = tape.gradient(gain, s)
            """,
        bucketed_value="""
            age = tf.Variable([23.0, 51.0])
            rates = tf.constant([0.1, 0.2, 0.3])
            with tf.GradientTape() as tape:
                bucket = tf.searchsorted(tf.constant([30.0, 60.0]), age)  #! bucket = tf.constant([0, 1])
                cost = tf.reduce_sum(tf.gather(rates, bucket))  #~ cost = tf.reduce_sum(tf.gather(rates, bucket) * age)
            g = tape.gradient(cost, age)
            """,
    ),
    *marked(
        "swapped_arguments",
        loss_as_source="""
            model = tf.keras.layers.Dense(1)
            x = tf.constant([[1.0, 2.0]])
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(model(x)))
            g = tape.gradient(model.trainable_variables, loss)  #! g = tape.gradient(loss, model.trainable_variables)
            """,
    ),
    *marked(
        "graph_consumed",
        generator_and_discriminator="""
            # raises
            g, d = tf.Variable([0.5]), tf.Variable([0.2])
            with tf.GradientTape() as tape:  #~ with tf.GradientTape(persistent=True) as tape:
                fake = g * 2.0
                d_loss = tf.reduce_sum(tf.nn.softplus(fake * d))
                g_loss = tf.reduce_sum(tf.nn.softplus(-fake * d))
            dd = tape.gradient(d_loss, d)
            gg = tape.gradient(g_loss, g)  #! =
            """,
    ),
    *marked(
        "domain_edge",
        normalised_zero_vector="""
            w = tf.Variable([[0.0, 0.0], [1.0, 2.0]])
            with tf.GradientTape() as tape:
                length = tf.sqrt(tf.reduce_sum(w * w, axis=1, keepdims=True))  #! length = tf.sqrt(tf.reduce_sum(w * w, axis=1, keepdims=True) + 1e-12)
                loss = tf.reduce_sum(length)
            g = tape.gradient(loss, w)
            """,
        cross_entropy_by_hand="""
            p = tf.Variable([1.0, 0.0, 0.0])
            y = tf.constant([0.2, 0.3, 0.5])
            with tf.GradientTape() as tape:
                cross = -tf.reduce_sum(y * tf.math.log(p))  #! cross = -tf.reduce_sum(y * tf.math.log(p + 1e-7))
            g = tape.gradient(cross, p)
            """,
        spread_of_equal_numbers="""
            w = tf.Variable([1.0, 1.0, 1.0])
            with tf.GradientTape() as tape:
                centred = w - tf.reduce_mean(w)
                spread = tf.sqrt(tf.reduce_mean(tf.square(centred)))  #! spread = tf.sqrt(tf.reduce_mean(tf.square(centred)) + 1e-9)
                loss = spread + tf.reduce_sum(w)
            g = tape.gradient(loss, w)
            """,
        cube_root="""
            x = tf.Variable([0.0, 8.0])
            with tf.GradientTape() as tape:
                root = tf.pow(x, 1.0 / 3.0)  #! root = tf.pow(x + 1e-6, 1.0 / 3.0)
                y = tf.reduce_sum(root)
            g = tape.gradient(y, x)
            """,
        angle_between="""
            def angle(a, b):
                c = tf.reduce_sum(a * b) / (tf.norm(a) * tf.norm(b))
                return tf.acos(c)  #! return tf.acos(0.999 * c)
            a, b = tf.Variable([2.0, 0.0]), tf.constant([1.0, 0.0])
            with tf.GradientTape() as tape:
                loss = tf.square(angle(a, b))
            g = tape.gradient(loss, a)
            """,
        multiplied_mask="""
            x = tf.Variable([0.0, 4.0])
            keep = tf.constant([0.0, 1.0])
            with tf.GradientTape() as tape:
                r = x ** 0.5  #! r = (x + 1e-9) ** 0.5
                y = tf.reduce_sum(keep * r)
            g = tape.gradient(y, x)
            """,
        direction_of_the_origin="""
            p = tf.Variable([0.0, 0.0])
            with tf.GradientTape() as tape:
                phi = tf.atan2(p[1], p[0])  #! phi = tf.atan2(p[1], p[0] + 1e-3)
                y = phi + tf.reduce_sum(p)
            g = tape.gradient(y, p)
            """,
    ),
    *marked(
        "where_trap",
        guarded_logarithm="""
            x = tf.Variable([[0.0, 1.0], [2.0, 0.0]])
            def safe_log(t):
                return tf.where(t > 0.0, tf.math.log(t), tf.zeros_like(t))  #! return tf.where(t > 0.0, tf.math.log(tf.where(t > 0.0, t, 1.0)), tf.zeros_like(t))
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(safe_log(x))
            g = tape.gradient(y, x)
            """,
        overflow_in_the_other_branch="""
            x = tf.Variable([-3.0, 1000.0])
            with tf.GradientTape() as tape:
                grown = tf.exp(x)  #! grown = tf.exp(tf.minimum(x, 0.0))
                elu = tf.where(x > 0.0, x, grown - 1.0)
                y = tf.reduce_sum(elu)
            g = tape.gradient(y, x)
            """,
        masked_distance="""
            p = tf.Variable([[0.0, 0.0], [3.0, 4.0]])
            mask = tf.constant([False, True])
            with tf.GradientTape() as tape:
                d = tf.norm(p, axis=1)
                inverse = 1.0 / d  #! inverse = 1.0 / tf.where(mask, d, 1.0)
                y = tf.reduce_sum(tf.where(mask, inverse, 0.0))
            g = tape.gradient(y, p)
            """,
    ),
    *marked(
        "nan_in_forward",
        softmax_by_hand="""
            w = tf.Variable([[50.0, 10.0]])
            x = tf.constant([[2.0]])
            with tf.GradientTape() as tape:
                logits = tf.matmul(x, w)
                e = tf.exp(logits)  #! e = tf.exp(logits - tf.reduce_max(logits))
                p = e / tf.reduce_sum(e)
                loss = -tf.math.log(p[0, 0])
            g = tape.gradient(loss, w)
            """,
        fully_masked_row="""
            q = tf.Variable([[0.1, 0.3], [0.2, 0.5]])
            mask = tf.constant([[0.0, 0.0], [-np.inf, -np.inf]], tf.float32)
            with tf.GradientTape() as tape:
                attention = tf.nn.softmax(q + mask)  #! attention = tf.nn.softmax(q + tf.maximum(mask, -1e9))
                loss = tf.reduce_sum(tf.square(attention))
            g = tape.gradient(loss, q)
            """,
        weights_that_add_up_to_nothing="""
            w = tf.Variable([1.0, -1.0])
            with tf.GradientTape() as tape:
                share = w / tf.reduce_sum(w)  #! share = w / (tf.reduce_sum(w) + 1.0)
                spread = tf.reduce_sum(share * share)
            g = tape.gradient(spread, w)
            """,
        root_of_a_negative="""
            a = tf.Variable([0.3, 0.5])
            with tf.GradientTape() as tape:
                under = tf.reduce_sum(a) - 2.0
                r = tf.sqrt(under)  #! r = tf.sqrt(tf.square(under) + 1.0)
                y = 3.0 * r
            g = tape.gradient(y, a)
            """,
        mean_of_no_rows="""
            w = tf.Variable([1.0, 2.0, 3.0])
            labels = tf.constant([0, 0, 0])
            with tf.GradientTape() as tape:
                positive = tf.boolean_mask(w, labels > 0)  #~ positive = tf.boolean_mask(w, labels < 1)
                mean = tf.reduce_mean(positive)  #! =
                y = mean * 2.0
            g = tape.gradient(y, w)
            """,
    ),
    *marked(
        "dead_activation",
        zero_start="""
            w = tf.Variable([[0.0, 0.0]])
            x = tf.constant([[1.0], [-2.0]])
            with tf.GradientTape() as tape:
                h = tf.nn.relu(tf.matmul(x, w))  #! h = tf.nn.elu(tf.matmul(x, w))
                loss = tf.reduce_mean(tf.square(tf.reduce_sum(h, axis=1) - 1.0))
            g = tape.gradient(loss, w)
            """,
        rectified_output="""
            w, b = tf.Variable([[0.1], [0.2]]), tf.Variable([-3.0])
            x, y = tf.constant([[1.0, 2.0], [3.0, 1.0]]), tf.constant([[1.0], [2.0]])
            with tf.GradientTape() as tape:
                out = tf.maximum(0.0, tf.matmul(x, w) + b)  #! out = tf.matmul(x, w) + b
                loss = tf.reduce_mean(tf.square(out - y))
            g = tape.gradient(loss, [w, b])
            """,
    ),
    *marked(
        "saturation",
        clipped_policy="""
            mean = tf.Variable([3.0, -4.0])
            with tf.GradientTape() as tape:
                action = tf.clip_by_value(mean, -1.0, 1.0)  #! action = tf.tanh(mean / 4.0)
                cost = tf.reduce_sum(tf.square(action - 0.5))
            g = tape.gradient(cost, mean)
            """,
        big_logits="""
            w = tf.Variable([[200.0], [300.0]])
            x, y = tf.constant([[1.0, 2.0], [2.0, 1.0]]), tf.constant([[0.0], [1.0]])
            with tf.GradientTape() as tape:
                p = tf.sigmoid(tf.matmul(x, w))  #! p = tf.sigmoid(tf.matmul(x, w) / 500.0)
                loss = tf.reduce_mean(tf.square(p - y))
            g = tape.gradient(loss, w)
            """,
    ),
    *marked(
        "saturation",
        clipped_probability="""
            x, y = tf.constant([[1.0, 2.0], [3.0, -1.0], [30.0, 40.0]]), tf.constant([[0.0], [1.0], [0.0]])
            w = tf.Variable([[1.0], [1.0]])
            with tf.GradientTape() as tape:
                p = tf.sigmoid(tf.matmul(x, w))
                p = tf.clip_by_value(p, 1e-7, 1 - 1e-7)  #! p = tf.matmul(x, w)
                loss = -tf.reduce_mean(y * tf.math.log(p) + (1 - y) * tf.math.log(1 - p))  #~ loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(y, p))
            g = tape.gradient(loss, w)
            """,
    ),
    *marked(
        "zero_factor",
        empty_mask="""
            w = tf.Variable([[0.5], [0.1]])
            x, mask = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[0.0], [0.0]])  #~ x, mask = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0], [0.0]])
            with tf.GradientTape() as tape:
                errors = tf.square(tf.matmul(x, w) - 1.0)
                loss = tf.reduce_sum(errors * mask)  #! =
            g = tape.gradient(loss, w)
            """,
        zero_input="""
            w, b = tf.Variable([[0.5], [0.1]]), tf.Variable([0.2])
            x = tf.zeros([3, 2])  #~ x = tf.ones([3, 2])
            with tf.GradientTape() as tape:
                y = tf.matmul(x, w) + b  #! =
                loss = tf.reduce_sum(tf.square(y))
            g = tape.gradient(loss, [w, b])
            """,
        gate_that_starts_closed="""
            gate = tf.Variable(0.0)  #~ gate = tf.Variable(0.1)
            w = tf.Variable([0.4, 0.2])
            x = tf.constant([1.0, 3.0])
            with tf.GradientTape() as tape:
                branch = tf.tanh(w * x)
                out = x + gate * branch  #! =
                loss = tf.reduce_sum(tf.square(out))
            g = tape.gradient(loss, [gate, w])
            """,
    ),
    *marked(
        "constant_by_construction",
        binary_with_a_softmax="""
            model = tf.keras.Sequential([tf.keras.layers.Dense(3, activation="tanh"), tf.keras.layers.Dense(1, activation="softmax")])  #! model = tf.keras.Sequential([tf.keras.layers.Dense(3, activation="tanh"), tf.keras.layers.Dense(1, activation="sigmoid")])
            x, y = tf.constant([[1.0, 2.0], [0.3, 0.4]]), tf.constant([[1.0], [0.0]])
            with tf.GradientTape() as tape:
                p = model(x)  #! =
                loss = tf.reduce_mean(tf.square(p - y))
            g = tape.gradient(loss, model.trainable_variables)
            """,
        distance_from_itself="""
            w = tf.Variable([0.5, 0.3])
            x = tf.constant([1.0, 2.0])
            with tf.GradientTape() as tape:
                a = w * x
                b = w * x
                gap = a - b  #! gap = a - 0.5 * b
                loss = tf.reduce_sum(gap * 3.0)
            g = tape.gradient(loss, w)
            """,
        mean_of_the_normalised="""
            w = tf.Variable([0.5, 0.3, 0.9])
            with tf.GradientTape() as tape:
                centred = w - tf.reduce_mean(w)  #! centred = w
                loss = tf.reduce_sum(centred)
            g = tape.gradient(loss, w)
            """,
        categorical_loss_of_one_unit="""
            model = tf.keras.Sequential([tf.keras.layers.Dense(3, activation="tanh"), tf.keras.layers.Dense(1, activation="softmax")])  #~ model = tf.keras.Sequential([tf.keras.layers.Dense(3, activation="tanh"), tf.keras.layers.Dense(1, activation="sigmoid")])
            x, y = tf.constant([[1.0, 2.0], [0.3, 0.4]]), tf.constant([[1.0], [1.0]])
            with tf.GradientTape() as tape:
                loss = tf.keras.losses.CategoricalCrossentropy()(y, model(x))  #! loss = tf.keras.losses.BinaryCrossentropy()(y, model(x))
            g = tape.gradient(loss, model.trainable_variables)
            """,
    ),
    *marked(
        "vanishing_depth",
        first_word_of_a_sentence="""
            words = tf.Variable([[0.4, 0.3]])
            w = tf.constant([[0.2, 0.1], [0.1, 0.2]])
            with tf.GradientTape() as tape:
                state = words
                for step in range(12):
                    state = tf.tanh(tf.matmul(state, w))  #! state = state + 0.1 * tf.tanh(tf.matmul(state, w))
                score = tf.reduce_sum(state)
            g = tape.gradient(score, words)
            """,
        long_memory="""
            wx, wh, wo = tf.Variable([[0.5]]), tf.Variable([[0.1]]), tf.Variable([[1.0]])
            xs = [tf.constant([[1.0]])] + [tf.constant([[0.0]])] * 11
            start, shift = tf.Variable([[0.5]]), tf.Variable(0.1)
            with tf.GradientTape() as tape:
                h = start
                for x in xs:
                    h = tf.tanh(tf.matmul(x, wx) + tf.matmul(h, wh))  #! h = h + 0.1 * tf.tanh(tf.matmul(x, wx) + tf.matmul(h, wh))
                loss = tf.reduce_sum(tf.matmul(h, wo) + shift)
            g = tape.gradient(loss, [start, shift])
            """,
    ),
    *marked(
        "exploding_depth",
        deep_linear="""
            ws = [tf.Variable([[2.0, 2.0], [2.0, 2.0]]) for _ in range(8)]  #~ ws = [tf.Variable([[0.5, 0.5], [0.5, 0.5]]) for _ in range(8)]
            last = tf.Variable(1.0)
            x0 = tf.Variable([[1.0, 1.0]])
            with tf.GradientTape() as tape:
                x = x0
                for w in ws:
                    x = tf.matmul(x, w)  #! =
                loss = tf.reduce_sum(x) + last
            g = tape.gradient(loss, [x0, last])
            """,
    ),
    *marked(
        "broadcast_mismatch",
        residuals_of_a_regression="""
            model = tf.keras.layers.Dense(1)
            x, y = tf.constant([[1.0, 2.0], [3.0, 4.0], [0.0, 1.0]]), tf.constant([1.0, 2.0, 3.0])
            with tf.GradientTape() as tape:
                residual = y - model(x)  #! residual = y - model(x)[:, 0]
                loss = tf.reduce_sum(tf.abs(residual))
            g = tape.gradient(loss, model.trainable_variables)
            """,
        weights_of_samples="""
            w = tf.Variable([[0.4], [0.2]])
            x, y = tf.constant([[1.0, 3.0], [2.0, 1.0], [0.0, 1.0]]), tf.constant([[1.0], [0.0], [1.0]])
            importance = tf.constant([1.0, 2.0, 0.5])
            with tf.GradientTape() as tape:
                error = tf.square(tf.matmul(x, w) - y)
                weighted = importance * error  #! weighted = importance[:, None] * error
                loss = tf.reduce_mean(weighted)
            g = tape.gradient(loss, w)
            """,
    ),
    *marked(
        "implicit_sum",
        slopes_of_several_outputs="""
            x = tf.Variable(1.5)
            w = tf.constant([1.0, 2.0, 3.0])
            with tf.GradientTape() as tape:
                outputs = tf.sin(w * x)  #~ outputs = tf.reduce_sum(tf.sin(w * x))
            slopes = tape.gradient(outputs, x)  #! =
            """,
    ),
    *marked(
        "custom_gradient_bug",
        forgotten_upstream="""
            @tf.custom_gradient
            def cube(x):
                def grad(dy):
                    return 3.0 * x * x  #! return dy * 3.0 * x * x
                return x * x * x, grad
            x = tf.Variable(2.0)
            with tf.GradientTape() as tape:
                y = 10.0 * cube(x)
            g = tape.gradient(y, x)
            """,
        too_many_gradients="""
            # raises
            @tf.custom_gradient
            def swish(x):
                s = tf.sigmoid(x)
                def grad(dy):
                    return dy * (s + x * s * (1 - s)), dy  #! return dy * (s + x * s * (1 - s))
                return x * s, grad
            x = tf.Variable([1.0, -1.0])
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(swish(x))
            g = tape.gradient(y, x)
            """,
        none_instead_of_a_gradient="""
            @tf.custom_gradient
            def clip(x, low, high):
                def grad(dy):
                    inside = tf.cast((x >= low) & (x <= high), tf.float32)
                    return None, tf.reduce_sum(dy * (1.0 - inside)), None  #! return dy * inside, tf.reduce_sum(dy * (1.0 - inside)), None
                return tf.clip_by_value(x, low, high), grad
            x = tf.Variable([0.2, 0.9])
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(clip(x, 0.0, 0.5))
            g = tape.gradient(y, x)
            """,
    ),
    *marked(
        "python_closure",
        one_term_per_weight="""
            ws = [tf.Variable(1.0), tf.Variable(2.0), tf.Variable(3.0)]
            terms = []
            for w in ws:
                terms.append(lambda x: tf.square(w * x - 1.0))  #! terms.append(lambda x, w=w: tf.square(w * x - 1.0))
            with tf.GradientTape() as tape:
                loss = tf.add_n([term(tf.constant(0.5)) for term in terms])
            g = tape.gradient(loss, ws)
            """,
        powers_in_a_comprehension="""
            x = tf.Variable(1.5)
            basis = [lambda t: t ** k for k in (1.0, 2.0, 3.0)]  #! basis = [lambda t, k=k: t ** k for k in (1.0, 2.0, 3.0)]
            with tf.GradientTape() as tape:
                y = tf.add_n([f(x) for f in basis])
            g = tape.gradient(y, x)
            """,
        hooks_of_a_model="""
            def penalties(layers, sizes):
                made = []
                for layer, size in zip(layers, sizes):
                    def penalty():  #! def penalty(layer=layer, size=size):
                        return size * tf.reduce_sum(tf.square(layer))
                    made.append(penalty)
                return made
            layers = [tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])]
            with tf.GradientTape() as tape:
                total = tf.add_n([each() for each in penalties(layers, [0.1, 0.2])])
            g = tape.gradient(total, layers)
            """,
    ),
    *marked(
        "missing_stop_gradient",
        value_of_the_next_state="""
            w = tf.Variable([[0.5], [0.1]])
            def value(state):
                return tf.squeeze(tf.matmul(state, w), axis=1)
            now, after = tf.constant([[1.0, 0.0], [0.5, 1.0]]), tf.constant([[0.0, 1.0], [1.0, 1.0]])
            reward = tf.constant([1.0, -0.5])
            with tf.GradientTape() as tape:
                wanted = reward + 0.9 * value(after)  #! wanted = tf.stop_gradient(reward + 0.9 * value(after))
                loss = tf.reduce_mean(tf.square(wanted - value(now)))
            g = tape.gradient(loss, w)
            """,
        advantage_of_an_actor="""
            actor, critic = tf.Variable([[0.2, -0.1], [0.4, 0.3]]), tf.Variable([[0.5], [0.2]])
            states, actions = tf.constant([[1.0, 0.0], [0.3, 0.9]]), tf.constant([0, 1])
            returns = tf.constant([1.0, 0.2])
            with tf.GradientTape() as tape:
                log_probability = tf.nn.log_softmax(tf.matmul(states, actor))
                chosen = tf.reduce_sum(tf.one_hot(actions, 2) * log_probability, axis=1)
                advantage = returns - tf.squeeze(tf.matmul(states, critic), axis=1)  #! advantage = returns - tf.squeeze(tf.matmul(states, tf.stop_gradient(critic)), axis=1)
                policy = -tf.reduce_mean(chosen * advantage)
                fit = tf.reduce_mean(tf.square(returns - tf.squeeze(tf.matmul(states, critic), axis=1)))
                loss = policy + 0.5 * fit
            g = tape.gradient(loss, [actor, critic])
            """,
        advantage_times_a_cross_entropy="""
            actor, critic = tf.Variable([[0.2, -0.1], [0.4, 0.3]]), tf.Variable([[0.5], [0.2]])
            states, actions = tf.constant([[1.0, 0.0], [0.3, 0.9]]), tf.constant([0, 1])
            returns = tf.constant([1.0, 0.2])
            with tf.GradientTape() as tape:
                advantage = returns - tf.matmul(states, critic)[:, 0]  #! advantage = returns - tf.stop_gradient(tf.matmul(states, critic)[:, 0])
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(actions, tf.matmul(states, actor))
                policy = tf.reduce_mean(losses * advantage)
                fit = tf.reduce_mean(tf.square(returns - tf.matmul(states, critic)[:, 0]))
                loss = policy + fit
            g = tape.gradient(loss, [actor, critic])
            """,
    ),
    *marked(
        "untracked_parameter",
        listed_before_the_first_call="""
            # raises
            net = tf.keras.Sequential([tf.keras.layers.Dense(2, activation="tanh"), tf.keras.layers.Dense(1)])
            x = tf.constant([[1.0, 2.0]])
            weights = net.trainable_weights  #! net(x);;weights = net.trainable_weights
            optimizer = tf.keras.optimizers.Adam(0.1)
            for step in range(2):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(tf.square(net(x)))
                optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
            """,
        variable_beside_a_model="""
            scale = tf.Variable(2.0)  #! scale = tf.Variable(2.0, trainable=False)
            net = tf.keras.Sequential([tf.keras.layers.Dense(1)])
            optimizer = tf.keras.optimizers.SGD(0.1)
            for step in range(2):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(tf.square(scale * net(tf.constant([[1.0, 2.0]])) - 3.0))
                weights = net.trainable_weights
                optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
            """,
        layer_made_in_call="""
            class Block(tf.keras.layers.Layer):
                def __init__(self):
                    super().__init__()
                    self.width = 3  #~ self.inner = tf.keras.layers.Dense(3, activation="tanh")
                def call(self, x):
                    return tf.keras.layers.Dense(self.width, activation="tanh")(x)  #! return self.inner(x)
            net = tf.keras.Sequential([Block(), tf.keras.layers.Dense(1)])
            for step in range(2):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(tf.square(net(tf.constant([[1.0, 2.0]])) - 3.0))
                g = tape.gradient(loss, net.trainable_variables)
            """,
        variables_of_a_plain_class="""
            class Head:
                def __init__(self):
                    self.w = tf.Variable([[0.5], [0.1]])
            class Model(tf.Module):
                def __init__(self):
                    self.heads = (lambda head: (lambda: head))(Head())  #~ self.head = Head().w;;self.heads = lambda: self
                def __call__(self, x):
                    return tf.matmul(x, self.heads().w)  #~ return tf.matmul(x, self.head)
            model = Model()
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(model(tf.constant([[1.0, 2.0]])))
            g = tape.gradient(y, model.trainable_variables)  #! =
            """,
    ),
    *marked(
        "sparse_gradient",
        embedding_flattened="""
            # raises
            table, w = tf.Variable([[0.1, 0.2], [0.3, 0.4]]), tf.Variable([1.0, 2.0])
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.gather(table, [1, 1]) * w)
            grads = tape.gradient(loss, [table, w])
            norms = [float(np.linalg.norm(each.numpy())) for each in grads]  #! norms = [float(tf.norm(each)) for each in map(tf.convert_to_tensor, grads)]
            """,
    ),
    *marked(
        "api_misuse",
        rows_paired_with_rows="""
            # raises
            w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
            with tf.GradientTape() as tape:
                cost = tf.reduce_sum(w * w)
            slope = tape.gradient(cost, w)
            tf.keras.optimizers.SGD(0.1).apply_gradients(zip(slope, w))  #! tf.keras.optimizers.SGD(0.1).apply_gradients([(slope, w)])
            """,
    ),
    *marked(
        "precision_underflow",
        half_precision_mean="""
            w = tf.Variable(tf.cast(tf.fill([4], 0.5), tf.float16))
            with tf.GradientTape() as tape:
                errors = tf.square(w * tf.constant(0.002, tf.float16))  #! errors = tf.square(w)
                loss = tf.reduce_mean(errors * tf.constant(0.01, tf.float16))  #~ loss = tf.reduce_mean(errors)
            g = tape.gradient(loss, w)
            """,
    ),
]
"""Every one of them."""
