"""Programs with one fault each; `programs` says what the marks mean."""

from __future__ import annotations

from tests.diagnosis.faulty_choices import CHOICES
from tests.diagnosis.faulty_doubles import DOUBLES
from tests.diagnosis.faulty_functions import FUNCTIONS
from tests.diagnosis.faulty_given import GIVEN
from tests.diagnosis.faulty_models import MODELS
from tests.diagnosis.faulty_objects import OBJECTS
from tests.diagnosis.faulty_training import TRAINING
from tests.diagnosis.programs import marked

FAULTY = [
    *marked(
        "not_watched",
        input_of_a_function="""
            def score(image, kernel):
                return tf.reduce_max(tf.matmul(image, kernel))
            image = tf.reshape(tf.range(6.0), [2, 3])  #! image = tf.Variable(tf.reshape(tf.range(6.0), [2, 3]))
            kernel = tf.Variable([[0.1], [0.7], [-0.4]])
            with tf.GradientTape() as tape:
                top = score(image, kernel)
            saliency, dk = tape.gradient(top, [image, kernel])
            """,
        automatic_watching_off="""
            a, b = tf.Variable(1.5), tf.Variable(-0.5)
            with tf.GradientTape(watch_accessed_variables=False) as tape:  #! with tf.GradientTape() as tape:
                tape.watch(a)
                out = tf.sin(a * b) + b
            ga, gb = tape.gradient(out, [a, b])
            """,
        computed_input="""
            w = tf.Variable([0.3, 0.9])
            noise = tf.constant([0.01, -0.02]) * 3.0  #! noise = tf.Variable([0.03, -0.06])
            with tf.GradientTape() as tape:
                energy = tf.reduce_sum(tf.exp(w + noise))
            gradient = tape.gradient(energy, noise)
            """,
        inside_the_block="""
            w = tf.Variable(2.0)
            with tf.GradientTape() as tape:
                t = tf.constant([0.1, 0.2])  #! t = tf.constant([0.1, 0.2]);;tape.watch(t)
                u = tf.tanh(w * t)
                total = tf.reduce_sum(u)
            velocity = tape.gradient(total, t)
            """,
        features_of_an_encoder="""
            kernel = tf.Variable([[1.0, 0.5]])
            def encode(x):
                h = tf.matmul(x, kernel)
                return tf.nn.relu(h)
            x = tf.constant([[1.0], [2.0]])
            features = encode(x)  #! features = tf.Variable(encode(x))
            head = tf.Variable([[1.0], [1.0]])
            with tf.GradientTape() as tape:
                score = tf.reduce_sum(tf.matmul(features, head))
            g = tape.gradient(score, features)
            """,
        batches_of_an_array="""
            data = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
            w = tf.Variable([[1.0], [0.5]])
            for row in range(2):
                x = tf.constant(data[row : row + 1])  #! x = tf.Variable(data[row : row + 1])
                with tf.GradientTape() as tape:
                    y = tf.reduce_sum(tf.matmul(x, w))
                gx = tape.gradient(y, x)
            """,
    ),
    *marked(
        "watched_too_late",
        after_the_loss="""
            x = tf.constant([1.0, 2.0, 3.0])
            w = tf.constant([0.5, 0.5, 0.5])
            with tf.GradientTape() as tape:
                margin = 1.0 - tf.reduce_sum(w * x)  #~ tape.watch(x);;margin = 1.0 - tf.reduce_sum(w * x)
                hinge = tf.nn.softplus(margin)
                tape.watch(x)  #!
            attack = tape.gradient(hinge, x)
            """,
        persistent_and_in_a_function="""
            def forward(tape, batch):
                hidden = tf.sigmoid(batch * 0.3)  #~ tape.watch(batch);;hidden = tf.sigmoid(batch * 0.3)
                tape.watch(batch)  #!
                return tf.reduce_mean(hidden)
            batch = tf.constant([[0.4, 0.1]])
            with tf.GradientTape(persistent=True) as tape:
                mean = forward(tape, batch)
            g = tape.gradient(mean, batch)
            """,
    ),
    *marked(
        "source_rebound",
        list_of_weights="""
            params = [tf.Variable([1.0, -1.0]), tf.Variable(0.2)]
            data = tf.constant([0.5, 2.0])
            for step in range(3):
                with tf.GradientTape() as tape:
                    cost = tf.square(tf.reduce_sum(params[0] * data) + params[1] - 4.0)
                grads = tape.gradient(cost, params)
                if grads[0] is not None:
                    params = [p - g for p, g in zip(params, grads)]  #! for p, g in zip(params, grads): p.assign_sub(g)
            """,
        scaled_before_the_tape="""
            gain = tf.Variable(3.0)
            gain = gain / 2.0  #! gain.assign(gain / 2.0)
            with tf.GradientTape() as tape:
                power = gain ** 3
            slope = tape.gradient(power, gain)
            """,
        update_in_a_function="""
            def update(v, g):
                return v - 0.1 * g
            w = tf.Variable([1.0, 2.0])
            for step in range(2):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_sum(w * w)
                g = tape.gradient(loss, w)
                if g is not None:
                    w = update(w, g)  #! w.assign(update(w, g))
            """,
        attribute_of_an_object="""
            class Model:
                pass
            model = Model()
            model.w = tf.Variable(1.0)
            for step in range(2):
                with tf.GradientTape() as tape:
                    loss = tf.square(model.w - 3.0)
                g = tape.gradient(loss, model.w)
                if g is not None:
                    model.w = model.w - 0.1 * g  #! model.w.assign_sub(0.1 * g)
            """,
    ),
    *marked(
        "not_trainable",
        frozen_embedding="""
            table = tf.Variable([[0.1, 0.2], [0.3, 0.4]], False)  #! table = tf.Variable([[0.1, 0.2], [0.3, 0.4]])
            head = tf.Variable([[1.0], [2.0]])
            with tf.GradientTape() as tape:
                logits = tf.matmul(tf.gather(table, [0, 1, 1]), head)
                loss = tf.reduce_mean(tf.square(logits))
            grads = tape.gradient(loss, [table, head])
            """,
        counter_like_scale="""
            class Layer:
                def __init__(self):
                    self.w = tf.Variable([[0.5]])
                    self.scale = tf.Variable(1.0, trainable=False)  #! self.scale = tf.Variable(1.0)
                def __call__(self, x):
                    return self.scale * tf.matmul(x, self.w)
            layer = Layer()
            with tf.GradientTape() as tape:
                out = tf.reduce_sum(layer(tf.constant([[2.0]])))
            g = tape.gradient(out, {"w": layer.w, "scale": layer.scale})
            """,
    ),
    *marked(
        "integer_dtype",
        integer_literal="""
            x = tf.Variable(3)  #! x = tf.Variable(3.0)
            with tf.GradientTape() as tape:
                y = x * x
            dy = tape.gradient(y, x)
            """,
        degrees_from_range="""
            angles = tf.range(4)  #! angles = tf.range(4.0)
            with tf.GradientTape() as tape:
                tape.watch(angles)
                wave = tf.reduce_sum(tf.sin(tf.cast(angles, tf.float32)))
            d = tape.gradient(wave, angles)
            """,
        whole_steps="""
            rate = tf.Variable(2.6)
            with tf.GradientTape() as tape:
                steps = tf.cast(rate, tf.int64)  #! steps = rate
                distance = 0.5 * tf.cast(steps, tf.float32) + 1.0
            g = tape.gradient(distance, rate)
            """,
        integer_target="""
            w = tf.Variable([1.5, 2.5])
            with tf.GradientTape() as tape:
                total = tf.reduce_sum(w * w)
                cents = tf.cast(total * 100.0, tf.int32)  #! cents = total * 100.0
            g = tape.gradient(cents, w)
            """,
        quantised_colours="""
            x = tf.Variable([0.2, 0.7])
            with tf.GradientTape() as tape:
                levels = tf.cast(tf.round(x * 255.0), tf.uint8)  #! levels = x * 255.0
                y = tf.reduce_sum(tf.cast(levels, tf.float32) / 255.0)
            g = tape.gradient(y, x)
            """,
    ),
    *marked(
        "outside_tape",
        another_tape_is_asked="""
            w = tf.Variable(1.0)
            with tf.GradientTape() as first:
                loss = w * 3.0  #! =
            with tf.GradientTape() as second:
                other = w * 2.0
            g = second.gradient(loss, w)  #~ g = first.gradient(loss, w)
            """,
        features_before_the_loop="""
            def embed(v, x):
                h = tf.tanh(x * v)
                return h * h
            v, w = tf.Variable([0.5, -0.2]), tf.Variable([1.0, 1.0])
            x = tf.constant([0.3, 0.8])
            features = embed(v, x)  #! pass
            for epoch in range(2):
                with tf.GradientTape() as tape:
                    pass  #~ features = embed(v, x)
                    loss = tf.reduce_sum(tf.square(features * w - 1.0))
                gv, gw = tape.gradient(loss, [v, w])
                w.assign_sub(0.1 * gw)
            """,
        scaled_after_the_block="""
            x = tf.Variable([1.0, 2.0])
            with tf.GradientTape() as tape:
                raw = tf.reduce_sum(x ** 3)
                pass  #~ loss = raw / 10.0
            loss = raw / 10.0  #! pass
            g = tape.gradient(loss, x)
            """,
        closure_over_a_constant="""
            sigma = tf.Variable(0.4)
            precision = 1.0 / (sigma * sigma)  #! precision = lambda: 1.0 / (sigma * sigma)
            def density(z):
                return tf.exp(-0.5 * precision * z * z)  #~ return tf.exp(-0.5 * precision() * z * z)
            with tf.GradientTape() as tape:
                p = tf.reduce_sum(density(tf.constant([0.1, 0.5])))
            g = tape.gradient(p, sigma)
            """,
        other_tape="""
            w = tf.Variable(1.2)
            with tf.GradientTape() as first:
                hidden = tf.sin(w)  #! pass
            with tf.GradientTape() as second:
                pass  #~ hidden = tf.sin(w)
                out = hidden * 2.0 + 1.0
            g = second.gradient(out, w)
            """,
        regulariser_added_late="""
            w = tf.Variable([0.5, -1.5])
            decay = 0.01 * tf.reduce_sum(w * w)  #! pass
            with tf.GradientTape() as tape:
                pass  #~ decay = 0.01 * tf.reduce_sum(w * w)
                data = tf.reduce_mean(tf.square(w - 1.0))
                objective = tf.add_n([data, decay])
            g = tape.gradient(objective, w)
            """,
        filled_cache="""
            class Model:
                def __init__(self):
                    self.w, self.v = tf.Variable([1.0, 2.0]), tf.Variable([0.5, 0.5])
                    self.cache = None
                def features(self, x):
                    if self.cache is None:
                        self.cache = tf.tanh(self.w * x)
                    return self.cache
            model, x = Model(), tf.constant([1.0, -1.0])
            model.features(x)  #!
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(model.features(x) * model.v)
            g = tape.gradient(loss, [model.w, model.v])
            """,
        dictionary_of_derived_parameters="""
            raw = {"rate": tf.Variable([0.1, 0.2]), "bias": tf.Variable(0.0)}
            derived = {name: tf.exp(each) for name, each in raw.items()}  #! pass
            with tf.GradientTape() as tape:
                pass  #~ derived = {name: tf.exp(each) for name, each in raw.items()}
                out = tf.reduce_sum(derived["rate"] * tf.constant([1.0, 2.0])) + derived["bias"]
            g = tape.gradient(out, raw)
            """,
        error_measured_after_the_block="""
            def mean_squared(a, b):
                difference = a - b
                return tf.reduce_mean(difference * difference)
            w = tf.Variable([1.0, 2.0])
            with tf.GradientTape() as tape:
                predicted = w * 2.0
                pass  #~ loss = mean_squared(predicted, tf.constant([1.0, 1.0]))
            loss = mean_squared(predicted, tf.constant([1.0, 1.0]))  #! pass
            g = tape.gradient(loss, w)
            """,
        norm_taken_before="""
            w = tf.Variable([3.0, 4.0])
            size = tf.norm(w)  #! pass
            with tf.GradientTape() as tape:
                unit = w / size  #~ unit = w / tf.norm(w)
                loss = tf.reduce_sum(unit * [1.0, 2.0])
            g = tape.gradient(loss, w)
            """,
        emptied_tape="""
            w = tf.Variable(2.0)
            with tf.GradientTape() as tape:
                squared = w * w
                tape.reset()  #!
                out = squared * 3.0
            g = tape.gradient(out, w)
            """,
        decay_in_two_steps="""
            w = tf.Variable([0.5, 2.0])
            squares = tf.square(w)  #! pass
            with tf.GradientTape() as tape:
                pass  #~ squares = tf.square(w)
                decay = 0.01 * tf.reduce_sum(squares)
                loss = tf.reduce_mean(tf.abs(w)) + decay
            g = tape.gradient(loss, w)
            """,
        hidden_by_another_tape="""
            w = tf.Variable(1.0)
            with tf.GradientTape() as tape:
                a = w * 2.0  #! pass
            with tf.GradientTape() as later:
                pass  #~ a = w * 2.0
                b = a * 3.0
            g = later.gradient(b, w)
            """,
        penalty_of_an_earlier_pass="""
            w, x = tf.Variable([0.5, 2.0]), tf.constant([1.0, -1.0])
            with tf.GradientTape() as probe:  #~ with tf.GradientTape() as tape, tf.GradientTape() as probe:
                probe.watch(x)
                score = tf.reduce_sum(tf.tanh(w * x))  #! =
                pass  #~ slope = probe.gradient(score, x);;penalty = tf.reduce_sum(tf.square(slope))
            if score > -9.0:  #~ if score < -9.0:
                with tf.GradientTape() as tape:
                    slope = probe.gradient(score, x)
                    penalty = tf.reduce_sum(tf.square(slope))
            g = tape.gradient(penalty, w)
            """,
    ),
    *marked(
        "recording_disabled",
        encoder_in_the_pause="""
            enc, dec = tf.Variable([[0.3, 0.1]]), tf.Variable([[0.2], [0.9]])
            x = tf.constant([[1.0], [2.0]])
            with tf.GradientTape() as tape:
                with tape.stop_recording():
                    code = tf.tanh(tf.matmul(x, enc))  #! largest = tf.reduce_max(x)
                pass  #~ code = tf.tanh(tf.matmul(x, enc))
                loss = tf.reduce_mean(tf.square(tf.matmul(code, dec)))
            g = tape.gradient(loss, [enc, dec])
            """,
        called_in_the_pause="""
            def normalised(v):
                size = tf.reduce_sum(v * v)
                return v / size
            w = tf.Variable([3.0, 4.0])
            with tf.GradientTape() as tape:
                with tape.stop_recording():
                    unit = normalised(w)  #! pass
                pass  #~ unit = normalised(w)
                out = tf.reduce_sum(unit ** 3)
            g = tape.gradient(out, w)
            """,
        centred_in_the_pause="""
            w = tf.Variable([1.0, 2.0])
            with tf.GradientTape() as tape:
                h = tf.exp(w)
                with tape.stop_recording():
                    middle = tf.reduce_mean(h)
                    centred = h - middle  #! pass
                loss = tf.reduce_sum(centred ** 3)  #~ loss = tf.reduce_sum((h - middle) ** 3)
            g = tape.gradient(loss, w)
            """,
        decay_in_the_pause="""
            w = tf.Variable([0.5, 2.0])
            with tf.GradientTape() as tape:
                with tape.stop_recording():
                    decay = tf.reduce_sum(tf.square(w))  #! pass
                pass  #~ decay = tf.reduce_sum(tf.square(w))
                loss = tf.reduce_mean(tf.abs(w)) + decay
            g = tape.gradient(loss, w)
            """,
    ),
    *marked(
        "left_to_numpy",
        numpy_reads_for_itself="""
            w = tf.Variable([0.4, 1.1])
            with tf.GradientTape() as tape:
                pred = w * 3.0
                loss = tf.convert_to_tensor(np.mean(pred))  #! loss = tf.reduce_mean(pred)
            g = tape.gradient(loss, w)
            """,
        numpy_reads_a_list="""
            w = tf.Variable(0.4)
            with tf.GradientTape() as tape:
                losses = [(w - x) ** 2 for x in (0.25, 1.5)]
                average = np.mean(losses)  #! average = tf.reduce_mean(losses)
                loss = tf.constant(average) * 2.0  #~ loss = average * 2.0
            g = tape.gradient(loss, w)
            """,
        numpy_function="""
            w = tf.Variable([0.4, 1.1])
            with tf.GradientTape() as tape:
                hidden = w * 3.0
                squashed = tf.constant(np.tanh(hidden.numpy()))  #! squashed = tf.tanh(hidden)
                loss = tf.reduce_sum(squashed)
            g = tape.gradient(loss, w)
            """,
        through_two_names="""
            w = tf.Variable([0.4, 1.1])
            with tf.GradientTape() as tape:
                hidden = tf.exp(w)
                plain = hidden.numpy()  #! plain = hidden
                shifted = plain - plain.mean()  #~ shifted = plain - tf.reduce_mean(plain)
                loss = tf.reduce_sum(tf.constant(shifted) ** 2)  #~ loss = tf.reduce_sum(shifted ** 2)
            g = tape.gradient(loss, w)
            """,
        python_float="""
            temperature = tf.Variable(0.7)
            logits = tf.constant([1.0, 2.0, 0.5])
            with tf.GradientTape() as tape:
                scale = 1.0 / float(temperature)  #! scale = 1.0 / temperature
                p = tf.nn.softmax(logits * scale)
                entropy = -tf.reduce_sum(p * tf.math.log(p))
            g = tape.gradient(entropy, temperature)
            """,
        read_by_a_function="""
            def to_array(t):
                return np.asarray(t)  #! return t
            w = tf.Variable([[0.2, 0.4]])
            with tf.GradientTape() as tape:
                act = tf.nn.relu(w + 1.0)
                loss = tf.reduce_sum(tf.square(tf.convert_to_tensor(to_array(act))))
            g = tape.gradient(loss, w)
            """,
        values_in_a_list="""
            w = tf.Variable(0.5)
            losses = []
            with tf.GradientTape() as tape:
                for x, y in [(1.0, 2.0), (2.0, 3.5), (3.0, 5.1)]:
                    error = tf.square(w * x - y)
                    losses.append(error.numpy())  #! losses.append(error)
                mean = tf.reduce_mean(losses)
            g = tape.gradient(mean, w)
            """,
        numpy_dot="""
            w, x = tf.Variable([1.0, 2.0]), np.array([0.5, 0.25], np.float32)
            with tf.GradientTape() as tape:
                y = np.dot(w, x)  #! y = tf.tensordot(w, x, 1)
                loss = tf.square(y - 1.0)
            g = tape.gradient(loss, w)
            """,
        mathematics_on_a_variable="""
            import math
            log_sigma = tf.Variable(0.3)
            with tf.GradientTape() as tape:
                sigma = math.exp(log_sigma)  #! sigma = tf.exp(log_sigma)
                loss = tf.reduce_sum(tf.constant([1.0, 2.0]) / sigma)
            g = tape.gradient(loss, log_sigma)
            """,
        sum_of_floats="""
            w = tf.Variable(0.5)
            with tf.GradientTape() as tape:
                total = 0.0
                for x in [1.0, 2.0, 3.0]:
                    total += float(tf.square(w * x - 1.0))  #! total += tf.square(w * x - 1.0)
                loss = tf.constant(total / 3)  #~ loss = total / 3
            g = tape.gradient(loss, w)
            """,
        list_of_numbers="""
            w = tf.Variable([0.5, 2.0])
            with tf.GradientTape() as tape:
                wave = tf.sin(w)
                numbers = wave.numpy().tolist()  #! numbers = tf.unstack(wave)
                twice = tf.constant([2 * each for each in numbers])  #~ twice = tf.stack([2 * each for each in numbers])
                loss = tf.reduce_sum(twice)
            g = tape.gradient(loss, w)
            """,
        chosen_by_a_number="""
            position = tf.Variable(1.7)
            table = tf.constant([1.0, 4.0, 9.0])
            with tf.GradientTape() as tape:
                index = int(position)  #! index = 1
                value = table[index] * 2.0  #~ value = table[index] * 2.0 * position
            g = tape.gradient(value, position)
            """,
        the_target_itself="""
            w = tf.Variable([1.0, 2.0])
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(w * w)
                score = tf.convert_to_tensor(loss.numpy())  #! score = loss
            g = tape.gradient(score, w)
            """,
        decay_in_numpy="""
            w = tf.Variable([0.5, 2.0])
            with tf.GradientTape() as tape:
                decay = 0.01 * np.sum(w.numpy() ** 2)  #! decay = tf.reduce_sum(tf.square(w))
                loss = tf.reduce_mean(tf.abs(w)) + decay
            g = tape.gradient(loss, w)
            """,
        decay_as_a_float="""
            w = tf.Variable([0.5, 2.0])
            with tf.GradientTape() as tape:
                decay = float(tf.reduce_sum(tf.square(w)))  #! decay = tf.reduce_sum(tf.square(w))
                loss = tf.reduce_mean(tf.abs(w)) + decay
            g = tape.gradient(loss, w)
            """,
    ),
    *marked(
        "rebuilt_as_leaf",
        constant_of_a_tensor="""
            w = tf.Variable([0.5, 0.25])
            with tf.GradientTape() as tape:
                h = tf.square(w)
                c = tf.Variable(h, trainable=False)  #! c = h
                loss = tf.reduce_sum(c * 3.0)
            g = tape.gradient(loss, w)
            """,
        generated_kernel="""
            code = tf.Variable([[0.3, -0.6]])
            hyper = tf.constant([[1.0, 0.5], [0.2, 2.0]])
            with tf.GradientTape() as tape:
                kernel = tf.Variable(tf.matmul(code, hyper))  #! kernel = tf.matmul(code, hyper)
                out = tf.reduce_sum(tf.tanh(kernel) * 2.0)
            g = tape.gradient(out, code)
            """,
        state_of_a_recurrence="""
            start = tf.Variable([0.1, 0.2])
            with tf.GradientTape() as tape:
                state = start
                for _ in range(3):
                    state = tf.Variable(tf.tanh(state * 2.0))  #! state = tf.tanh(state * 2.0)
                loss = tf.reduce_sum(state)
            g = tape.gradient(loss, start)
            """,
        list_of_results="""
            a, b = tf.Variable(1.0), tf.Variable(2.0)
            with tf.GradientTape() as tape:
                both = tf.Variable([a + b, a - b])  #! both = tf.stack([a + b, a - b])
                loss = tf.reduce_sum(both * both)
            g = tape.gradient(loss, [a, b])
            """,
        decay_in_a_variable="""
            w = tf.Variable([0.5, 2.0])
            with tf.GradientTape() as tape:
                decay = tf.Variable(tf.reduce_sum(tf.square(w)))  #! decay = tf.reduce_sum(tf.square(w))
                loss = tf.reduce_mean(tf.abs(w)) + decay
            g = tape.gradient(loss, w)
            """,
    ),
    *marked(
        "stop_gradient",
        teacher_and_student_swapped="""
            student, teacher = tf.Variable([0.1, 0.9]), tf.constant([0.3, 0.7])
            with tf.GradientTape() as tape:
                p = tf.nn.softmax(student)
                kept = tf.stop_gradient(p)  #! kept = p
                loss = tf.reduce_sum(tf.square(teacher - kept))
            g = tape.gradient(loss, student)
            """,
        hidden_in_a_function="""
            def detach(t):
                return tf.stop_gradient(t)  #! return t
            actor, critic = tf.Variable([0.5]), tf.Variable([1.5])
            with tf.GradientTape() as tape:
                action = tf.tanh(actor * 2.0)
                value = tf.reduce_sum(critic * detach(action))
            g = tape.gradient(value, [actor, critic])
            """,
        after_a_rounding="""
            z = tf.Variable([0.2, 1.7])
            with tf.GradientTape() as tape:
                q = tf.round(z)  #~ q = z + tf.stop_gradient(tf.round(z) - z)
                code = tf.stop_gradient(q)  #! code = q
                loss = tf.reduce_sum(tf.square(code - 1.0))
            g = tape.gradient(loss, z)
            """,
        decay_held_back="""
            w = tf.Variable([0.5, 2.0])
            with tf.GradientTape() as tape:
                decay = tf.stop_gradient(tf.reduce_sum(tf.square(w)))  #! decay = tf.reduce_sum(tf.square(w))
                loss = tf.reduce_mean(tf.abs(w)) + decay
            g = tape.gradient(loss, w)
            """,
    ),
    *marked(
        "through_state",
        assigned_buffer="""
            w = tf.Variable([0.5, 2.0])
            buffer = tf.Variable([0.0, 0.0], trainable=False)
            with tf.GradientTape() as tape:
                buffer.assign(w * 3.0)  #! held = w * 3.0
                loss = tf.reduce_sum(tf.square(buffer))  #~ loss = tf.reduce_sum(tf.square(held))
            g = tape.gradient(loss, w)
            """,
        moving_average="""
            rate = tf.Variable(0.3)
            average = tf.Variable(1.0, trainable=False)
            with tf.GradientTape() as tape:
                for x in [2.0, 0.5, 1.5]:
                    average.assign_add(rate * (x - average))  #! average = average + rate * (x - average)
                error = tf.square(average - 1.0)
            g = tape.gradient(error, rate)
            """,
        scattered_rows="""
            w = tf.Variable([[1.0, 2.0]])
            memory = tf.Variable(tf.zeros([3, 2]), trainable=False)
            with tf.GradientTape() as tape:
                row = w * 2.0
                memory.scatter_nd_update([[1]], row)  #! memory = tf.tensor_scatter_nd_update(memory, [[1]], row)
                read = tf.reduce_sum(memory * memory)
            g = tape.gradient(read, w)
            """,
        slice_by_slice="""
            a, b = tf.Variable(1.0), tf.Variable(2.0)
            pair = tf.Variable([0.0, 0.0])
            with tf.GradientTape() as tape:
                pair[0].assign(a * 2.0)  #! pass
                pair[1].assign(b * 2.0)
                loss = tf.reduce_sum(pair * pair)  #~ loss = tf.reduce_sum(tf.stack([a * 2.0, b * 2.0]) ** 2)
            g = tape.gradient(loss, [a])
            """,
        decay_assigned="""
            w = tf.Variable([0.5, 2.0])
            decay = tf.Variable(0.0, trainable=False)
            with tf.GradientTape() as tape:
                decay.assign(tf.reduce_sum(tf.square(w)))  #! decay = tf.reduce_sum(tf.square(w))
                loss = tf.reduce_mean(tf.abs(w)) + decay
            g = tape.gradient(loss, w)
            """,
    ),
    *marked(
        "nondifferentiable_op",
        hard_decision="""
            w = tf.Variable([0.4, 0.1])
            x = tf.constant([[1.0, 2.0], [-3.0, 0.5]])
            with tf.GradientTape() as tape:
                score = tf.reduce_sum(x * w, axis=1)
                fired = tf.cast(score > 0.0, tf.float32)  #! fired = tf.sigmoid(score)
                error = tf.reduce_mean(tf.abs(fired - 1.0))
            g = tape.gradient(error, w)
            """,
        argmax_as_output="""
            kernel = tf.Variable([[0.2, 0.8, -0.1], [0.5, 0.1, 0.3]])
            x = tf.constant([[1.0, 2.0], [2.0, 0.5]])
            with tf.GradientTape() as tape:
                logits = tf.matmul(x, kernel)
                best = tf.argmax(logits, axis=1)  #! best = tf.nn.softmax(logits)[:, 2]
                loss = tf.reduce_mean(tf.square(tf.cast(best, tf.float32) - 1.0))
            g = tape.gradient(loss, kernel)
            """,
        floor_in_a_sawtooth="""
            phase = tf.Variable(2.3)
            with tf.GradientTape() as tape:
                cycle = tf.floor(phase * 1.5)  #! cycle = phase * 1.5
                cost = cycle * cycle
            g = tape.gradient(cost, phase)
            """,
        sign_of_a_step="""
            w = tf.Variable([0.5, -2.0])
            with tf.GradientTape() as tape:
                direction = tf.sign(w * 2.0)  #! direction = tf.tanh(w * 2.0)
                out = tf.reduce_sum(direction * [1.0, 3.0])
            g = tape.gradient(out, w)
            """,
        one_hot_choice="""
            logits = tf.Variable([0.2, 0.9, 0.1])
            with tf.GradientTape() as tape:
                choice = tf.one_hot(tf.argmax(logits), 3)  #! choice = tf.nn.softmax(logits)
                reward = tf.reduce_sum(choice * [1.0, 2.0, 3.0])
            g = tape.gradient(reward, logits)
            """,
        step_by_where="""
            x = tf.Variable([0.2, -0.9])
            with tf.GradientTape() as tape:
                step = tf.where(x > 0.0, 1.0, 0.0)  #! step = tf.sigmoid(x)
                loss = tf.reduce_sum(tf.square(step - 0.3))
            g = tape.gradient(loss, x)
            """,
        weights_in_steps_of_their_largest="""
            w = tf.Variable([0.2, -0.9, 0.5, 0.1, -0.4, 0.3, 0.8, -0.6])
            with tf.GradientTape() as tape:
                s = tf.reduce_max(tf.abs(w)) / 7.0
                q = tf.round(w / s) * s  #! q = (w / s + tf.stop_gradient(tf.round(w / s) - w / s)) * s
                loss = tf.reduce_sum(tf.square(q - 0.15))
            g = tape.gradient(loss, w)
            """,
        order_as_output="""
            x = tf.Variable([0.2, 0.9, 0.5])
            with tf.GradientTape() as tape:
                order = tf.argsort(x)  #! order = tf.sort(x)
                place = tf.cast(order, tf.float32)
                loss = tf.reduce_mean(place * place)
            g = tape.gradient(loss, x)
            """,
        learned_threshold="""
            limit, x = tf.Variable(0.5), tf.constant([0.2, 0.6, 0.9])
            with tf.GradientTape() as tape:
                kept = tf.cast(x > limit, tf.float32)  #! kept = tf.sigmoid(9.0 * (x - limit))
                loss = tf.reduce_sum(x * kept)
            g = tape.gradient(loss, limit)
            """,
        rounded_under_its_name="""
            w = tf.Variable([0.4, 1.1])
            with tf.GradientTape() as tape:
                h = w * 3.0
                h = tf.round(h)  #! h = h + tf.stop_gradient(tf.round(h) - h)
                loss = tf.reduce_sum(tf.square(h))
            g = tape.gradient(loss, w)
            """,
        chance="""
            p = tf.Variable([0.4, 0.7])
            with tf.GradientTape() as tape:
                hits = tf.cast(tf.random.uniform([2]) < p, tf.float32)  #! hits = p
                loss = tf.reduce_sum(hits * 2.0)
            g = tape.gradient(loss, p)
            """,
    ),
    *marked(
        "unused_source",
        second_head_forgotten="""
            trunk, left, right = tf.Variable([1.0]), tf.Variable([0.5]), tf.Variable([0.7])
            with tf.GradientTape() as tape:
                h = tf.tanh(trunk)
                a = h * left
                b = h * right
                loss = tf.reduce_sum(tf.square(a))  #! loss = tf.reduce_sum(tf.square(a + b))
            g = tape.gradient(loss, [trunk, left, right])
            """,
        bias_never_added="""
            w, b = tf.Variable([[0.1], [0.2]]), tf.Variable([0.0])
            x = tf.constant([[1.0, 1.0]])
            def model(x):
                return tf.matmul(x, w)  #~ return tf.matmul(x, w) + b
            with tf.GradientTape() as tape:
                y = model(x)
                loss = tf.reduce_sum(y * y)
            grads = tape.gradient(loss, [w, b])  #! =
            """,
        way_of_an_if_that_asks_for_it_and_is_not_taken="""
            a, b = tf.Variable(2.0), tf.Variable(3.0)
            with tf.GradientTape() as tape:
                if a > b:
                    y = a * 2.0
                else:
                    y = b * 3.0  #! y = a * b
                loss = y**2
            tape.gradient(loss, [a, b])
            """,
        branch_not_taken="""
            gate, base = tf.Variable(0.3), tf.Variable(2.0)
            use_gate = False  #~ use_gate = True
            with tf.GradientTape() as tape:
                out = base * gate if use_gate else base * base  #! =
            g = tape.gradient(out, [gate, base])
            """,
        typed_in_target="""
            w = tf.Variable([1.0, 2.0])
            with tf.GradientTape() as tape:
                norm = tf.reduce_sum(w * w)
                loss = tf.constant(5.0)  #! loss = norm
            g = tape.gradient(loss, w)
            """,
        auxiliary_loss_never_added="""
            w, v = tf.Variable([1.0]), tf.Variable([2.0])
            x = tf.constant([3.0])
            with tf.GradientTape() as tape:
                main = tf.reduce_mean(tf.square(w * x - 1.0))
                aux = tf.reduce_mean(tf.square(v * x - 3.0))
                total = main * 1.0  #! total = main + aux
            g = tape.gradient(total, [w, v])
            """,
        hidden_layer_compared="""
            w1, w2 = tf.Variable([[1.0, 0.5]]), tf.Variable([[0.2], [0.4]])
            x = tf.constant([[1.0]])
            with tf.GradientTape() as tape:
                hidden = tf.nn.relu(tf.matmul(x, w1))
                out = tf.matmul(hidden, w2)
                loss = tf.reduce_sum(hidden * hidden)  #! loss = tf.reduce_sum(out * out)
            g = tape.gradient(loss, [w1, w2])
            """,
    ),
    *marked(
        "swapped_arguments",
        input_first="""
            x = tf.Variable([1.0, 2.0])
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(tf.exp(x))
            g = tape.gradient(x, y)  #! g = tape.gradient(y, x)
            """,
        watched_input_first="""
            t = tf.constant(0.5)
            with tf.GradientTape() as tape:
                tape.watch(t)
                position = tf.sin(t)
                height = position * 3.0
            speed = tape.gradient(t, height)  #! speed = tape.gradient(height, t)
            """,
    ),
    *marked(
        "graph_consumed",
        two_calls="""
            # raises
            x = tf.Variable(2.0)
            with tf.GradientTape() as tape:  #~ with tf.GradientTape(persistent=True) as tape:
                y = x * x
                z = y * x
            dy = tape.gradient(y, x)
            dz = tape.gradient(z, x)  #! =
            """,
        in_a_loop="""
            # raises
            a, b = tf.Variable(1.0), tf.Variable(2.0)
            with tf.GradientTape() as tape:  #~ with tf.GradientTape(persistent=True) as tape:
                out = tf.sin(a) * b
            grads = [tape.gradient(out, v) for v in (a, b)]  #! =
            """,
    ),
    *marked(
        "no_higher_order_record",
        inner_call_too_late="""
            x = tf.Variable(1.5)
            with tf.GradientTape() as outer:
                with tf.GradientTape() as inner:
                    y = x ** 3
                pass  #~ first = inner.gradient(y, x)
            first = inner.gradient(y, x)  #! pass
            second = outer.gradient(first, x)
            """,
        gradient_penalty="""
            w, x = tf.Variable([0.5, 2.0]), tf.constant([1.0, -1.0])
            with tf.GradientTape() as probe:
                probe.watch(x)
                score = tf.reduce_sum(tf.tanh(w * x))
            slope = probe.gradient(score, x)  #! slope = None
            with tf.GradientTape() as tape:  #~ with tf.GradientTape() as tape, tf.GradientTape() as probe:
                pass  #~ probe.watch(x);;slope = probe.gradient(tf.reduce_sum(tf.tanh(w * x)), x)
                penalty = tf.reduce_sum(tf.square(slope))
            g = tape.gradient(penalty, w)
            """,
        penalty_beside_a_healthy_term="""
            w, x = tf.Variable([0.5, 2.0]), tf.constant([1.0, -1.0])
            with tf.GradientTape() as probe:
                probe.watch(x)
                score = tf.reduce_sum(tf.tanh(w * x))
            slope = probe.gradient(score, x)  #! slope = tf.zeros([2])
            with tf.GradientTape() as tape:
                penalty = tf.reduce_sum(tf.square(slope))
                loss = tf.reduce_sum(tf.tanh(w * x)) + penalty
            g = tape.gradient(loss, w)
            """,
    ),
    *marked(
        "source_is_other_object unused_source",
        made_anew_after_the_tape="""
            w = tf.Variable(1.0)
            with tf.GradientTape() as tape:
                loss = w * 3.0
            w = tf.Variable(2.0)  #! w.assign(2.0)
            g = tape.gradient(loss, w)
            """,
        list_made_anew="""
            weights = [tf.Variable(each) for each in (1.5, 2.5)]
            with tf.GradientTape() as tape:
                loss = weights[0] * weights[1]
            weights = [tf.Variable(each) for each in weights]  #!
            g = tape.gradient(loss, weights)
            """,
        slice_asked_for="""
            w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
            with tf.GradientTape() as tape:
                out = tf.reduce_sum(tf.square(w))  #~ row = w[0];;out = tf.reduce_sum(tf.square(row))
                row = w[0]  #! pass
            g = tape.gradient(out, row)
            """,
        copied_variable="""
            w = tf.Variable([0.3, -0.3])
            saved = tf.Variable(w)  #! saved = w
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.exp(w))
            g = tape.gradient(loss, saved)
            """,
        joined_afterwards="""
            a, b = tf.Variable([1.0, 2.0]), tf.Variable([3.0])
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(a ** 2) * b[0]
            flat = tf.concat([a, b], 0)  #! flat = [a, b]
            g = tape.gradient(loss, flat)
            """,
        entry_asked_for="""
            w = tf.Variable([1.0, 2.0, 3.0])
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(w ** 2)
            g = tape.gradient(loss, w[0])  #! g = tape.gradient(loss, w)[0]
            """,
    ),
    *marked(
        "domain_edge",
        log_of_zero="""
            p = tf.Variable([0.0, 0.5])
            with tf.GradientTape() as tape:
                entropy = -tf.reduce_sum(p * tf.math.log(p))  #! entropy = -tf.reduce_sum(p * tf.math.log(p + 1e-7))
            g = tape.gradient(entropy, p)
            """,
        norm_of_zero="""
            v = tf.Variable([0.0, 0.0, 0.0])
            with tf.GradientTape() as tape:
                length = tf.norm(v)  #! length = tf.norm(v + 1e-6)
                out = length * 2.0
            g = tape.gradient(out, v)
            """,
        angle_of_equal_vectors="""
            v = tf.Variable([1.0, 0.0])
            with tf.GradientTape() as tape:
                cosine = tf.reduce_sum(v * [1.0, 0.0])
                angle = tf.acos(cosine)  #! angle = tf.acos(cosine * 0.999)
                loss = angle * angle
            g = tape.gradient(loss, v)
            """,
    ),
    *marked(
        "where_trap",
        safe_division="""
            x = tf.Variable([0.0, 2.0])
            with tf.GradientTape() as tape:
                inverse = 1.0 / x  #! inverse = 1.0 / tf.where(x > 0.0, x, 1.0)
                out = tf.where(x > 0.0, inverse, 0.0)
                loss = tf.reduce_sum(out)
            g = tape.gradient(loss, x)
            """,
        masked_power="""
            x = tf.Variable([0.0, 4.0])
            with tf.GradientTape() as tape:
                root = x ** 0.5  #! root = tf.where(x > 0.0, x, 1.0) ** 0.5
                loss = tf.reduce_sum(tf.where(x > 0.0, root, x))
            g = tape.gradient(loss, x)
            """,
        entropy_guarded_too_late="""
            p = tf.Variable([0.0, 0.5])
            with tf.GradientTape() as tape:
                logs = tf.math.log(p)  #! logs = tf.math.log(tf.where(p > 0.0, p, 1.0))
                entropy = -tf.reduce_sum(tf.where(p > 0.0, p * logs, 0.0))
            g = tape.gradient(entropy, p)
            """,
    ),
    *marked(
        "nan_in_forward",
        zero_over_zero="""
            a = tf.Variable([0.0, 0.0])
            with tf.GradientTape() as tape:
                share = a / tf.reduce_sum(a)  #! share = a / (tf.reduce_sum(a) + 1.0)
                loss = tf.reduce_sum(tf.square(share))
            g = tape.gradient(loss, a)
            """,
        overflowing_square="""
            w = tf.Variable(30.0)
            with tf.GradientTape() as tape:
                grown = tf.exp(w * 5.0)  #! grown = tf.exp(w * 0.05)
                ratio = grown / (grown + 1.0)
            g = tape.gradient(ratio, w)
            """,
        finite_gradient_of_a_nan="""
            w = tf.Variable([-1.0, 2.0])
            with tf.GradientTape() as tape:
                logs = tf.math.log(w)  #! logs = tf.math.log(w * w)
                loss = tf.reduce_sum(logs)
            g = tape.gradient(loss, w)
            """,
        power_of_a_large_number="""
            w = tf.Variable(-1e20)
            with tf.GradientTape() as tape:
                loss = (w - 1.0) ** 3  #! loss = (1e-20 * w - 1.0) ** 3
            g = tape.gradient(loss, w)
            """,
        mean_over_an_empty_mask="""
            w, mask = tf.Variable([1.0, 2.0]), tf.constant([0.0, 0.0])
            with tf.GradientTape() as tape:
                mean = tf.reduce_sum(w * mask) / tf.reduce_sum(mask)  #! mean = tf.reduce_sum(w * (mask + 0.5))
                loss = mean * mean
            g = tape.gradient(loss, w)
            """,
    ),
    *marked(
        "source_rebound",
        parameter_of_a_function="""
            def train(w):
                for _ in range(2):
                    with tf.GradientTape() as tape:
                        loss = (w * 2.0 - 1.0) ** 2
                    g = tape.gradient(loss, w)
                    if g is not None:
                        w = w - 0.1 * g  #! w.assign(w - 0.1 * g)
                return tape
            tape = train(tf.Variable(1.0))
            """,
    ),
    *marked(
        "nan_in_input",
        missing_entry_of_the_data="""
            x = tf.constant([[1.0, 2.0], [np.nan, 0.5]])  #! x = tf.constant([[1.0, 2.0], [0.0, 0.5]])
            w = tf.Variable([[0.1], [0.3]])
            with tf.GradientTape() as tape:
                share = tf.sigmoid(tf.matmul(x, w))
                loss = -tf.reduce_mean(tf.math.log(share))
            g = tape.gradient(loss, w)
            """,
        weight_that_is_given_a_spoilt_value="""
            w = tf.Variable([0.5, 2.0])
            w.assign(w * np.nan)  #! w.assign(w * 3.0)
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(w))
            g = tape.gradient(loss, w)
            """,
        weight_of_a_spoilt_checkpoint="""
            w = tf.Variable([0.5, np.inf])  #! w = tf.Variable([0.5, 2.0])
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.tanh(w * w) * w)
            g = tape.gradient(loss, w)
            """,
        infinite_feature="""
            x = tf.constant([[1.0, -np.inf], [0.0, 1.0]])  #! x = tf.constant([[1.0, -9.0], [0.0, 1.0]])
            w = tf.Variable([[0.0], [0.3]])
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.sigmoid(tf.matmul(x, w)) * tf.matmul(x, w))
            g = tape.gradient(loss, w)
            """,
        finite_gradient_of_a_missing_label="""
            y = tf.constant([1.0, np.nan])  #! y = tf.constant([1.0, 0.0])
            w = tf.Variable([0.1, 0.3])
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(w - y)
            g = tape.gradient(loss, w)
            """,
    ),
    *marked(
        "dead_activation",
        negative_bias="""
            w, b = tf.Variable([[0.2], [0.1]]), tf.Variable([-9.0])
            x = tf.constant([[1.0, 2.0], [0.5, 0.5]])
            with tf.GradientTape() as tape:
                h = tf.nn.relu(tf.matmul(x, w) + b)  #! h = tf.nn.leaky_relu(tf.matmul(x, w) + b)
                loss = tf.reduce_mean(tf.square(h - 1.0))
            g = tape.gradient(loss, [w, b])
            """,
        hidden_layer_below_a_head="""
            w, b, head = tf.Variable([[0.2], [0.1]]), tf.Variable([-9.0]), tf.Variable([[0.5]])
            x = tf.constant([[1.0, 2.0], [0.5, 0.5]])
            with tf.GradientTape() as tape:
                h = tf.nn.relu(tf.matmul(x, w) + b)  #! h = tf.nn.leaky_relu(tf.matmul(x, w) + b)
                out = tf.matmul(tf.reshape(h, [2, 1]), head)
                loss = tf.reduce_mean(tf.square(out - 1.0))
            g = tape.gradient(loss, [w, b, head])
            """,
        square_of_what_is_rectified="""
            w, x = tf.Variable([[0.3], [0.5]]), tf.constant([[1.0, 2.0], [0.5, 0.2]])
            with tf.GradientTape() as tape:
                over = tf.nn.relu(tf.matmul(x, w) - 9.0)  #! over = tf.nn.relu(tf.matmul(x, w) + 9.0)
                loss = tf.reduce_sum(tf.square(over))
            g = tape.gradient(loss, w)
            """,
    ),
    *marked(
        "saturation",
        far_out_tanh="""
            w = tf.Variable(40.0)
            with tf.GradientTape() as tape:
                y = tf.tanh(w)  #! y = tf.tanh(w / 40.0)
                loss = tf.square(y - 0.5)
            g = tape.gradient(loss, w)
            """,
        square_of_what_is_cut_off_at_zero="""
            w, x = tf.Variable([[0.3], [0.5]]), tf.constant([[1.0, 2.0], [0.5, 0.2]])
            with tf.GradientTape() as tape:
                over = tf.minimum(tf.exp(tf.matmul(x, w)), 0.0)  #! over = tf.minimum(tf.exp(tf.matmul(x, w)), 9.0)
                loss = tf.reduce_sum(tf.square(over))
            g = tape.gradient(loss, w)
            """,
        readout_of_what_is_cut_off_at_zero="""
            w, out = tf.Variable([[0.3], [0.5]]), tf.Variable([[0.7]])
            x = tf.constant([[1.0, 2.0], [0.5, 0.2]])
            with tf.GradientTape() as tape:
                hidden = tf.minimum(tf.exp(tf.matmul(x, w)), 0.0)  #! hidden = tf.minimum(tf.exp(tf.matmul(x, w)), 9.0)
                loss = tf.reduce_sum(tf.square(tf.matmul(hidden, out) - 1.0))
            g = tape.gradient(loss, out)
            """,
    ),
    *marked(
        "zero_factor",
        zero_initialised_head="""
            w1 = tf.Variable([[0.4, 0.2]])
            w2 = tf.Variable([[0.0], [0.0]])  #~ w2 = tf.Variable([[0.1], [0.3]])
            x = tf.constant([[1.0], [2.0]])
            with tf.GradientTape() as tape:
                hidden = tf.tanh(tf.matmul(x, w1))
                out = tf.matmul(hidden, w2)  #! =
                loss = tf.reduce_mean(tf.square(out - 1.0))
            g = tape.gradient(loss, [w1, w2])
            """,
        readout_of_a_number_that_half_precision_lacks="""
            w, x = tf.Variable([[0.5], [-0.5]]), tf.constant([[1.0, 2.0], [0.5, 0.2]])
            with tf.GradientTape() as tape:
                error = tf.matmul(x, w)
                small = tf.cast(error, tf.float16) * 1e-9  #! small = error * 1e-9
                loss = tf.reduce_mean(tf.square(tf.cast(small, tf.float32)))
            g = tape.gradient(loss, w)
            """,
    ),
    *marked(
        "constant_by_construction",
        single_class="""
            w = tf.Variable([[0.4], [0.2]])
            x = tf.constant([[1.0, 3.0], [2.0, 1.0]])
            with tf.GradientTape() as tape:
                logits = tf.matmul(x, w)
                probability = tf.nn.softmax(logits)  #! probability = tf.sigmoid(logits)
                loss = -tf.reduce_sum(tf.math.log(probability) * [[1.0], [0.5]])
            g = tape.gradient(loss, w)
            """,
        state_less_itself="""
            w, v, out = tf.Variable([[0.3, 0.5]]), tf.Variable([[0.2, 0.1], [0.4, 0.3]]), tf.Variable([[0.7], [0.2]])
            state, loss = tf.zeros([1, 2]), 0.0
            with tf.GradientTape() as tape:
                for x in ([[1.0]], [[0.5]]):
                    state = tf.tanh(tf.matmul(x, w) + tf.matmul(state, v))
                    state = state - state  #! state = state - 0.1
                    loss = loss + tf.reduce_sum(tf.square(tf.matmul(state, out) - 1.0))
            g = tape.gradient(loss, [w, out])
            """,
        readout_of_a_hidden_less_its_own_mean="""
            w, out = tf.Variable([[0.3], [0.5]]), tf.Variable([[0.7]])
            x = tf.constant([[1.0, 2.0], [0.5, 0.2]])
            with tf.GradientTape() as tape:
                hidden = tf.tanh(tf.matmul(x, w))
                hidden -= tf.reduce_mean(hidden, axis=1, keepdims=True)  #! hidden -= tf.reduce_mean(hidden, axis=0)
                loss = tf.reduce_sum(tf.square(tf.matmul(hidden, out) - 1.0))
            g = tape.gradient(loss, out)
            """,
        curvature_of_what_is_less_its_own_mean="""
            t, w = tf.constant([[0.1], [0.4]]), tf.Variable([[0.3, 0.5]])
            with tf.GradientTape() as tape:
                with tf.GradientTape() as inner:
                    inner.watch(t)
                    u = tf.reduce_sum(tf.tanh(tf.matmul(t, w)), axis=1, keepdims=True)
                    u = u - tf.reduce_mean(tf.expand_dims(u, -1), -1)  #! u = u - 0.5
                slope = inner.gradient(u, t)
                loss = tf.reduce_mean(tf.square(slope + u))
            g = tape.gradient(loss, w)
            """,
        straight_line="""
            x = tf.Variable(2.0)
            with tf.GradientTape() as outer:
                with tf.GradientTape() as inner:
                    y = 3.0 * x + 1.0  #! y = 3.0 * x * x
                first = inner.gradient(y, x)
            second = outer.gradient(first, x)
            """,
        sum_of_a_softmax="""
            w = tf.Variable([0.3, 0.9])
            with tf.GradientTape() as tape:
                shares = tf.nn.softmax(w)  #! shares = tf.exp(w)
                total = tf.reduce_sum(shares)
            g = tape.gradient(total, w)
            """,
        one_logit="""
            w = tf.Variable([[0.4], [0.2]])
            x = tf.constant([[1.0, 3.0], [2.0, 1.0]])
            with tf.GradientTape() as tape:
                logits = tf.matmul(x, w)
                loss = tf.nn.sparse_softmax_cross_entropy_with_logits([0, 0], logits)  #! loss = tf.nn.softplus(logits)
            g = tape.gradient(loss, w)
            """,
    ),
    *marked(
        "zero_derivative",
        top_of_a_hill="""
            angle = tf.Variable(0.0)  #~ angle = tf.Variable(0.1)
            with tf.GradientTape() as tape:
                height = tf.cos(angle)  #! =
                loss = -2.0 * height
            g = tape.gradient(loss, angle)
            """,
        square_at_zero="""
            scale = tf.Variable([0.0, 0.0])  #~ scale = tf.Variable([0.1, 0.1])
            x = tf.constant([1.0, 2.0])
            with tf.GradientTape() as tape:
                power = tf.square(scale)  #! =
                loss = tf.reduce_sum(power * x)
            g = tape.gradient(loss, scale)
            """,
        equal_shares_that_are_squared="""
            logits = tf.Variable([1.0, 1.0])  #~ logits = tf.Variable([1.0, 1.5])
            with tf.GradientTape() as tape:
                shares = tf.nn.softmax(logits)  #! =
                loss = tf.reduce_mean(tf.square(shares))
            g = tape.gradient(loss, logits)
            """,
        gradient_function_of_zeros="""
            @tf.custom_gradient
            def rounded(x):
                def backward(upstream):
                    return upstream * 0.0  #! return upstream
                return tf.round(x), backward
            w = tf.Variable([0.7, 1.7])
            with tf.GradientTape() as tape:
                steps = rounded(w)
                loss = tf.reduce_sum(tf.square(steps))
            g = tape.gradient(loss, w)
            """,
    ),
    *marked(
        "broadcast_mismatch",
        squared_difference="""
            w, b = tf.Variable([[0.4], [0.2]]), tf.Variable([0.1])
            x, y = tf.constant([[1.0, 3.0], [2.0, 1.0], [0.0, 1.0]]), tf.constant([1.0, 2.0, 3.0])
            with tf.GradientTape() as tape:
                predicted = tf.matmul(x, w) + b
                errors = tf.math.squared_difference(predicted, y)  #! errors = tf.square(predicted[:, 0] - y)
                loss = tf.reduce_mean(errors)
            g = tape.gradient(loss, [w, b])
            """,
    ),
    *marked(
        "vanishing_depth",
        repeated_squashing="""
            first, last = tf.Variable(0.5), tf.Variable(1.0)
            with tf.GradientTape() as tape:
                h = first * 2.0
                for _ in range(12):
                    h = tf.sigmoid(h)  #! h = tf.sin(h)
                loss = h * last
            g = tape.gradient(loss, [first, last])
            """,
    ),
    *marked(
        "exploding_depth",
        repeated_growth="""
            start, shift = tf.Variable([[0.5, 0.5]]), tf.Variable(1.0)
            grow = tf.constant([[3.0, 1.0], [1.0, 3.0]])  #~ grow = tf.constant([[0.5, 0.5], [0.5, 0.5]])
            with tf.GradientTape() as tape:
                h = start
                for _ in range(9):
                    h = tf.matmul(h, grow)  #! =
                loss = tf.reduce_sum(h) + shift
            g = tape.gradient(loss, [start, shift])
            """,
        overflow_on_the_way_back="""
            w = tf.Variable([[1e10]])
            with tf.GradientTape() as tape:
                h = tf.constant([[1e-20]])
                for step in range(5):
                    h = tf.matmul(h, w)  #! h = tf.matmul(h, w) * 1e-10
                loss = tf.reduce_sum(h)
            g = tape.gradient(loss, w)
            """,
        overflow_of_a_product_of_two="""
            a = tf.Variable([1e-30])
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(a * 1e30 * 1e30)  #! y = tf.reduce_sum(a * 1e30)
            g = tape.gradient(y, a)
            """,
        overflow_at_an_exponential="""
            x = tf.Variable([70.0, 1.0])
            with tf.GradientTape() as tape:
                gap = tf.exp(x) - tf.exp([70.0, 0.0])  #! gap = tf.exp(x / 7.0) - tf.exp([10.0, 0.0])
                loss = tf.reduce_sum(gap * [1e15, 1.0])
            g = tape.gradient(loss, x)
            """,
    ),
    *marked(
        "implicit_sum",
        curvature_of_a_product="""
            p = tf.Variable([1.0, 2.0, 3.0])
            with tf.GradientTape() as outer:
                with tf.GradientTape() as inner:
                    volume = tf.reduce_prod(p[:2]) * p[2]
                slopes = inner.gradient(volume, p)
                pass  #~ slopes = slopes[0]
            curvature = outer.gradient(slopes, p)  #! =
            """,
        three_powers_at_once="""
            x = tf.Variable(2.0)
            with tf.GradientTape() as tape:
                powers = tf.stack([x, x * x, x * x * x])  #~ powers = x * x
            slopes = tape.gradient(powers, x)  #! =
            """,
    ),
    *marked(
        "implicit_sum",
        rows_of_one_batch="""
            x = tf.Variable([[1.0, 2.0], [3.0, 5.0]])
            with tf.GradientTape() as tape:
                share = tf.square(x) / tf.reduce_sum(x, axis=0)
            slopes = tape.batch_jacobian(share, x)  #! slopes = tape.jacobian(share, x)
            """,
    ),
    *marked(
        "custom_gradient_bug",
        one_gradient_for_two="""
            # raises
            @tf.custom_gradient
            def scaled(x, factor):
                def back(upstream):
                    return upstream * factor  #! return upstream * factor, tf.reduce_sum(upstream * x)
                return x * factor, back
            x, factor = tf.Variable([1.0, 2.0]), tf.Variable(0.5)
            with tf.GradientTape() as tape:
                out = tf.reduce_sum(scaled(x, factor))
            g = tape.gradient(out, [x, factor])
            """,
        captured_scale="""
            x, scale = tf.Variable([1.0, 3.0]), tf.constant(7.0)
            @tf.custom_gradient
            def scaled(x):  #~ def scaled(x, scale):
                def back(upstream):
                    return upstream * scale  #~ return upstream * scale, tf.reduce_sum(upstream * x)
                return x * scale, back
            with tf.GradientTape() as tape:
                tape.watch(scale)
                y = scaled(x)  #! y = scaled(x, scale)
            g = tape.gradient(y, [x, scale])
            """,
        captured_by_a_method="""
            class Scaled:
                def __init__(self, scale):
                    self.scale = scale
                def times(self, x, scale):
                    return tf.tanh(x) * scale
                @tf.custom_gradient
                def call(self, x):
                    y = self.times(x, self.scale)
                    def back(upstream):
                        return upstream * self.scale
                    return y, back
            x, raw = tf.Variable([1.0, 3.0]), tf.Variable(2.0)
            with tf.GradientTape() as tape:
                layer = Scaled(raw * 2.0)
                y = tf.reduce_sum(layer.call(x))  #! y = tf.reduce_sum(layer.times(x, layer.scale))
            g = tape.gradient(y, [x, raw])
            """,
        none_for_one_input="""
            @tf.custom_gradient
            def scaled(x, k):
                def back(upstream):
                    return upstream * k, None  #! return upstream * k, upstream * x
                return x * k, back
            x, k = tf.Variable(1.0), tf.Variable(2.0)
            with tf.GradientTape() as tape:
                y = scaled(x, k) * 3.0
            g = tape.gradient(y, [x, k])
            """,
    ),
    *marked(
        "precision_underflow",
        small_factors_in_half_precision="""
            w = tf.Variable(tf.constant([1.0, 2.0], tf.float16))
            with tf.GradientTape() as tape:
                small = w * tf.constant(1e-4, tf.float16)  #! small = w
                loss = tf.reduce_sum(small * tf.constant(1e-4, tf.float16))
            g = tape.gradient(loss, w)
            """,
    ),
    *FUNCTIONS,
    *MODELS,
    *OBJECTS,
    *CHOICES,
    *TRAINING,
    *DOUBLES,
    *GIVEN,
    *marked(
        "api_misuse",
        softmax_before_a_loss_with_logits="""
            z, labels = tf.Variable([[1.0, 2.0, 0.5], [0.1, 0.0, 1.0]]), tf.constant([0, 2])
            with tf.GradientTape() as tape:
                p = tf.nn.softmax(z)  #! p = z
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, p))
            g = tape.gradient(loss, z)
            """,
        softmax_before_a_loss_of_keras="""
            w, x = tf.Variable([[0.3, -0.2], [0.1, 0.4]]), tf.constant([[1.0, 2.0], [0.5, 1.0]])
            with tf.GradientTape() as tape:
                shares = tf.nn.softmax(tf.matmul(x, w))  #! shares = tf.matmul(x, w)
                loss = tf.keras.losses.CategoricalCrossentropy(from_logits=True)(tf.eye(2), shares)
            g = tape.gradient(loss, w)
            """,
        scores_for_a_loss_of_probabilities="""
            w, x = tf.Variable([[0.3, -0.2], [0.1, 0.4]]), tf.constant([[1.0, 2.0], [-1.5, 1.0]])
            losses = tf.keras.losses
            loss_of = losses.BinaryCrossentropy()  #~ loss_of = losses.BinaryCrossentropy(from_logits=True)
            with tf.GradientTape() as tape:
                scores = tf.matmul(x, w)
                loss = loss_of(tf.eye(2), scores)  #! =
            g = tape.gradient(loss, w)
            """,
        scores_that_are_clipped_to_probabilities="""
            w, x, t = tf.Variable([0.3, -0.2]), tf.constant([1.0, 2.0]), tf.constant([1.0, 0.0])
            with tf.GradientTape() as tape:
                p = tf.clip_by_value(x * w, 1e-6, 1.0 - 1e-6)  #~ p = tf.sigmoid(x * w)
                loss = -tf.reduce_sum(t * tf.math.log(p) + (1.0 - t) * tf.math.log(1.0 - p))  #! =
            g = tape.gradient(loss, w)
            """,
        log_softmax_of_a_softmax="""
            w = tf.Variable([[0.3, -0.2, 0.1]])
            with tf.GradientTape() as tape:
                p = tf.nn.softmax(w)  #! p = w
                loss = -tf.nn.log_softmax(p)[0, 1]
            g = tape.gradient(loss, w)
            """,
    ),
]
"""Every faulty program."""
