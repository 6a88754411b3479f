"""Programs without a fault, of the kinds that people write."""

from __future__ import annotations

from textwrap import dedent


def _healthy(**texts: str) -> dict[str, str]:
    return {name: dedent(text).strip("\n") + "\n" for name, text in texts.items()}


HEALTHY = _healthy(
    training_loop="""
        w, b = tf.Variable([[0.5], [-0.5]]), tf.Variable([0.0])
        x, y = tf.constant([[1.0, 2.0], [0.3, 0.1], [2.0, 2.0]]), tf.constant([[1.0], [0.0], [1.0]])
        history = []
        for step in range(20):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(tf.sigmoid(tf.matmul(x, w) + b) - y))
            for variable, gradient in zip([w, b], tape.gradient(loss, [w, b])):
                variable.assign_sub(0.5 * gradient)
            history.append(float(loss))
            print(step, loss.numpy()) if step < 0 else None
        """,
    function_that_builds_its_object_at_its_first_call="""
        class Scale(tf.Module):
            def __init__(self):
                super().__init__()
                self.is_built, self.step = False, 0
            @tf.function
            def __call__(self, x):
                if not self.is_built:
                    self.w, self.is_built = tf.Variable([1.0, 2.0]), True
                return self.w * x
        scale = Scale()
        for step in range(3):
            scale.step = step
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(scale(tf.constant([3.0, 4.0])) ** 2)
            scale.w.assign_sub(0.01 * tape.gradient(loss, scale.w))
        """,
    body_built_at_its_first_call_beside_a_head_that_learns="""
        body, head = tf.keras.layers.Dense(3, activation="tanh"), tf.keras.layers.Dense(1)
        for step in range(2):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(head(body(tf.constant([[1.0, 2.0]]))) - 3.0))
            g = tape.gradient(loss, head.trainable_variables)
        """,
    fixed_layer_that_is_made_at_every_pass="""
        v = tf.Variable([0.1, -0.6, 0.9])
        for step in range(2):
            with tf.GradientTape() as tape:
                sums = tf.keras.layers.Dense(3, kernel_initializer="ones", trainable=False)
                loss = tf.reduce_sum(v * v) + tf.reduce_sum(sums(v[None]))
            v.assign_sub(0.01 * tape.gradient(loss, v))
        """,
    step_whose_results_a_loop_collects="""
        w, b, x = tf.Variable([[0.5], [-0.3]]), tf.Variable([0.1]), tf.constant([[0.2, 0.9]])
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - 1.0))
        fast = []
        for v, g in zip([w, b], tape.gradient(loss, [w, b])):
            v = v - 0.1 * g
            fast.append(v)
        """,
    likelihood_ratio_that_is_1_where_it_is_taken="""
        w, x = tf.Variable([[0.3], [0.5]]), tf.constant([[1.0, 2.0], [0.5, 0.2]])
        with tf.GradientTape() as tape:
            chance = tf.matmul(x, w)
            ratio = tf.exp(chance - tf.stop_gradient(chance))
            loss = tf.reduce_mean(ratio * [[1.0], [-0.4]])
        g = tape.gradient(loss, w)
        """,
    two_learn_by_turns="""
        a, b = tf.Variable(1.0), tf.Variable(2.0)
        for step in range(2):
            with tf.GradientTape() as tape:
                loss = tf.square(a * b - 1.0)
            a.assign_sub(0.01 * tape.gradient(loss, a))
            with tf.GradientTape() as tape:
                loss = tf.square(a * b - 1.0)
            b.assign_sub(0.01 * tape.gradient(loss, b))
        """,
    terms_that_learn_by_turns="""
        a, b = tf.Variable(1.0), tf.Variable(2.0)
        for step in range(2):
            for learns in (a, b):
                with tf.GradientTape() as tape:
                    loss = tf.square(a * b) + a + b
                learns.assign_sub(0.01 * tape.gradient(loss, learns))
        """,
    accuracy_beside_the_loss="""
        w = tf.Variable([[0.5, 0.1, -0.2], [0.3, -0.7, 0.9]])
        x, labels = tf.constant([[1.0, 2.0], [0.3, 0.1]]), tf.constant([2, 0])
        with tf.GradientTape() as tape:
            logits = tf.matmul(x, w)
            hits = tf.equal(tf.argmax(logits, axis=1, output_type=tf.int32), labels)
            accuracy = tf.reduce_mean(tf.cast(hits, tf.float32))
            loss = -tf.reduce_mean(tf.reduce_sum(tf.one_hot(labels, 3) * tf.nn.log_softmax(logits), axis=1))
            shown = loss.numpy() + accuracy.numpy()
        g = tape.gradient(loss, w)
        """,
    second_derivative="""
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = tf.reduce_sum(x ** 4)
            first = inner.gradient(y, x)
        second = outer.gradient(first, x)
        """,
    persistent_tape="""
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
            z = tf.reduce_sum(y * y)
        grads = [tape.gradient(z, x), tape.gradient(z, y), tape.gradient(y, x)]
        """,
    embedding="""
        table, head = tf.Variable([[0.1, 0.2], [0.3, -0.4], [0.5, 0.6]]), tf.Variable([[1.0], [-1.0]])
        ids = tf.constant([2, 0, 2])
        with tf.GradientTape() as tape:
            mean = tf.reduce_mean(tf.gather(table, ids), axis=0, keepdims=True)
            loss = tf.reduce_sum(tf.square(tf.matmul(mean, head)))
        g = tape.gradient(loss, [table, head])
        """,
    straight_through="""
        z = tf.Variable([0.3, 1.6])
        with tf.GradientTape() as tape:
            q = z + tf.stop_gradient(tf.round(z) - z)
            loss = tf.reduce_sum(tf.square(q - 0.5))
        g = tape.gradient(loss, z)
        """,
    target_network="""
        online, frozen = tf.Variable([0.5, 0.2]), tf.Variable([0.4, 0.1], trainable=False)
        state, after, reward = tf.constant([1.0, 2.0]), tf.constant([0.5, 1.0]), tf.constant(1.0)
        for step in range(5):
            bootstrapped = reward + 0.9 * tf.reduce_sum(online * after)
            with tf.GradientTape() as tape:
                value = tf.reduce_sum(online * state)
                fixed = reward + 0.9 * tf.reduce_sum(frozen * after)
                loss = tf.square(value - fixed) + tf.square(value - bootstrapped)
            online.assign_sub(0.01 * tape.gradient(loss, online))
            frozen.assign(0.9 * frozen + 0.1 * online)
        """,
    policy_gradient="""
        theta = tf.Variable([0.2, -0.1, 0.4])
        baseline = 0.0
        for reward in [1.0, 0.0, 2.0]:
            with tf.GradientTape() as tape:
                probabilities = tf.nn.softmax(theta)
                action = int(tf.argmax(probabilities))
                loss = -tf.math.log(probabilities[action]) * (reward - baseline)
            theta.assign_sub(0.1 * tape.gradient(loss, theta))
            baseline = 0.9 * baseline + 0.1 * reward
        """,
    hinge_with_met_margin="""
        w = tf.Variable([2.0, 1.0])
        x, y = tf.constant([[1.0, 1.0], [2.0, 0.5]]), tf.constant([1.0, 1.0])
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.maximum(0.0, 1.0 - y * tf.reduce_sum(w * x, axis=1)))
        g = tape.gradient(loss, w)
        """,
    at_the_minimum="""
        w = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(w - tf.constant([1.0, 2.0])))
        g = tape.gradient(loss, w)
        """,
    frozen_part_not_asked_for="""
        frozen, free = tf.Variable([1.0, 2.0], trainable=False), tf.Variable([0.5, 0.5])
        unused = tf.Variable(9.0)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(frozen * free)
        g = tape.gradient(loss, tape.watched_variables())
        """,
    monitored_under_a_pause="""
        w = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            h = tf.tanh(w)
            with tape.stop_recording():
                shown = tf.reduce_max(tf.abs(h))
            loss = tf.reduce_sum(h * h)
        g = tape.gradient(loss, w)
        """,
    proximal_term="""
        w = tf.Variable([1.0, 2.0])
        anchor = w * 1.0
        for step in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(w - 3.0)) + 0.1 * tf.reduce_sum(tf.square(w - anchor))
            w.assign_sub(0.1 * tape.gradient(loss, w))
        """,
    pairwise_distances="""
        points = tf.Variable([0.0, 1.0, 3.0])
        with tf.GradientTape() as tape:
            apart = points[:, None] - points
            energy = tf.reduce_sum(tf.exp(-tf.square(apart)))
        g = tape.gradient(energy, points)
        """,
    safe_where="""
        x = tf.Variable([0.0, 4.0])
        with tf.GradientTape() as tape:
            safe = tf.where(x > 0.0, x, 1.0)
            loss = tf.reduce_sum(tf.where(x > 0.0, tf.sqrt(safe), 0.0))
        g = tape.gradient(loss, x)
        """,
    masked_attention="""
        q, k = tf.Variable([[0.2, 0.4], [0.1, -0.3]]), tf.Variable([[0.5, 0.1], [0.9, 0.2]])
        mask = tf.constant([[0.0, -1e9], [0.0, 0.0]])
        with tf.GradientTape() as tape:
            attention = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) + mask)
            loss = tf.reduce_sum(tf.square(attention - 0.3))
        g = tape.gradient(loss, [q, k])
        """,
    gradient_step_in_a_step="""
        w, rate = tf.Variable(1.0), tf.Variable(0.1)
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                support = tf.square(w - 3.0)
            moved = w - rate * inner.gradient(support, w)
            query = tf.square(moved - 2.0)
        g = outer.gradient(query, [w, rate])
        """,
    custom_gradient="""
        @tf.custom_gradient
        def clipped(x):
            return x * 1.0, lambda upstream: tf.clip_by_norm(upstream, 0.5)
        v = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            out = clipped(v * v)
        g = tape.gradient(out, v)
        """,
    curvature_of_a_kink="""
        x = tf.Variable([1.0, -2.0])
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = tf.reduce_sum(tf.abs(x) * tf.abs(x))
            first = inner.gradient(y, x)
        second = outer.gradient(first, x)
        """,
    no_gradient_call="""
        x = tf.Variable(1.0)
        with tf.GradientTape() as tape:
            y = tf.round(x) + x
        """,
    two_networks_two_tapes="""
        g, d = tf.Variable([[0.5, 0.2]]), tf.Variable([[0.3], [0.1]])
        for i in range(3):
            z = tf.random.normal([4, 1])
            real = tf.random.normal([4, 2])
            with tf.GradientTape() as gt, tf.GradientTape() as dt:
                fake = tf.matmul(z, g)
                fl, rl = tf.matmul(fake, d), tf.matmul(real, d)
                gl = tf.reduce_mean(tf.nn.softplus(-fl))
                dl = tf.reduce_mean(tf.nn.softplus(-rl)) + tf.reduce_mean(tf.nn.softplus(fl))
            gg = gt.gradient(gl, [g]); dg = dt.gradient(dl, [d])
            g.assign_sub(0.1 * gg[0]); d.assign_sub(0.1 * dg[0])
        """,
    networks_in_turn="""
        g, d = tf.Variable([[0.5, 0.2]]), tf.Variable([[0.3], [0.1]])
        z = tf.constant([[1.0], [2.0]])
        fake = tf.matmul(z, g)
        with tf.GradientTape() as dt:
            dl = tf.reduce_mean(tf.nn.softplus(tf.matmul(fake, d)))
        dg = dt.gradient(dl, d)
        with tf.GradientTape() as gt:
            gl = tf.reduce_mean(tf.nn.softplus(-tf.matmul(tf.matmul(z, g), d)))
        gg = gt.gradient(gl, g)
        """,
    moments_in_variables="""
        w = tf.Variable([1.0, -2.0])
        m, v = tf.Variable([0.0, 0.0], trainable=False), tf.Variable([0.0, 0.0], trainable=False)
        for t in range(1, 5):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(w - 0.5))
            g = tape.gradient(loss, w)
            m.assign(0.9 * m + 0.1 * g); v.assign(0.999 * v + 0.001 * g * g)
            mh = m / (1 - 0.9 ** t); vh = v / (1 - 0.999 ** t)
            w.assign_sub(0.1 * mh / (tf.sqrt(vh) + 1e-7))
        """,
    moving_statistics="""
        w, gamma, beta = tf.Variable([[0.5, 0.2]]), tf.Variable([1.0, 1.0]), tf.Variable([0.0, 0.0])
        mm, mv = tf.Variable([0.0, 0.0], trainable=False), tf.Variable([1.0, 1.0], trainable=False)
        x = tf.constant([[1.0], [2.0], [-1.0]])
        for i in range(3):
            with tf.GradientTape() as tape:
                y = tf.matmul(x, w)
                mean = tf.reduce_mean(y, axis=0); var = tf.math.reduce_variance(y, axis=0)
                mm.assign(0.9 * mm + 0.1 * mean); mv.assign(0.9 * mv + 0.1 * var)
                out = gamma * (y - mean) / tf.sqrt(var + 1e-3) + beta
                loss = tf.reduce_sum(tf.square(out - 0.3))
            gs = tape.gradient(loss, [w, gamma, beta])
            for a, b in zip([w, gamma, beta], gs): a.assign_sub(0.01 * b)
        """,
    old_policy="""
        theta = tf.Variable([0.2, -0.1]); a = tf.constant([0, 1, 1]); adv = tf.constant([1.0, -0.5, 0.3])
        old = tf.gather(tf.nn.log_softmax(theta), a)
        for k in range(2):
            with tf.GradientTape() as tape:
                new = tf.gather(tf.nn.log_softmax(theta), a)
                ratio = tf.exp(new - old)
                loss = -tf.reduce_mean(tf.minimum(ratio * adv, tf.clip_by_value(ratio, 0.8, 1.2) * adv))
            theta.assign_sub(0.05 * tape.gradient(loss, theta))
        """,
    state_carried_over_stopped="""
        wx, wh, b = tf.Variable([[0.5, -0.3]]), tf.Variable([[0.1, 0.4], [-0.2, 0.3]]), tf.Variable([0.0, 0.0])
        h = tf.zeros([1, 2])
        xs = [tf.constant([[float(i) / 3]]) for i in range(6)]
        for epoch in range(2):
            with tf.GradientTape() as tape:
                loss = 0.0
                for x in xs:
                    h = tf.tanh(tf.matmul(x, wx) + tf.matmul(h, wh) + b)
                    loss += tf.reduce_sum(tf.square(h - 0.1))
            for p, g in zip([wx, wh, b], tape.gradient(loss, [wx, wh, b])): p.assign_sub(0.05 * g)
            h = tf.stop_gradient(h)
        """,
    reparametrised_sample="""
        w, s, dcd = tf.Variable([[0.5, 0.1]]), tf.Variable([[0.1, 0.2]]), tf.Variable([[0.3], [0.7]])
        x = tf.constant([[1.0], [0.5]])
        with tf.GradientTape() as tape:
            mu, ls = tf.matmul(x, w), tf.matmul(x, s)
            z = mu + tf.exp(ls) * tf.random.normal([2, 2])
            kl = -0.5 * tf.reduce_sum(1 + 2 * ls - mu ** 2 - tf.exp(2 * ls))
            loss = tf.reduce_sum(tf.square(tf.matmul(z, dcd) - x)) + kl
        g = tape.gradient(loss, [w, s, dcd])
        """,
    gradients_added_up="""
        w = tf.Variable([1.0, 2.0]); acc = tf.Variable([0.0, 0.0], trainable=False)
        total = 0.0
        for i in range(4):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(w * float(i) - 1.0)) / 4.0
            acc.assign_add(tape.gradient(loss, w))
            total += loss
        w.assign_sub(0.1 * acc)
        mean = float(total) / 4
        """,
    best_weights_kept="""
        w = tf.Variable([1.0, 2.0]); best = None; best_loss = 1e9
        for i in range(4):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(w - 3.0))
            w.assign_sub(0.1 * tape.gradient(loss, w))
            if float(loss) < best_loss:
                best_loss, best = float(loss), tf.Variable(w)
        w.assign(best)
        """,
    two_passes_a_step="""
        w = tf.Variable([1.0, 2.0])
        for i in range(2):
            with tf.GradientTape() as t1:
                loss = tf.reduce_sum(tf.square(w - 3.0))
            g = t1.gradient(loss, w)
            e = 0.05 * g / tf.norm(g)
            w.assign_add(e)
            with tf.GradientTape() as t2:
                loss2 = tf.reduce_sum(tf.square(w - 3.0))
            g2 = t2.gradient(loss2, w)
            w.assign_sub(e)
            w.assign_sub(0.1 * g2)
        """,
    rate_in_a_variable="""
        lr = tf.Variable(0.1, trainable=False); w = tf.Variable(2.0)
        for i in range(3):
            with tf.GradientTape() as tape:
                loss = w * w
            w.assign_sub(lr * tape.gradient(loss, w)); lr.assign(lr * 0.5)
        """,
    data_normalised_before="""
        w = tf.Variable([[0.3], [0.2]])
        raw = tf.constant([[100.0, 2.0], [50.0, 4.0]])
        x = (raw - tf.reduce_mean(raw, axis=0)) / tf.math.reduce_std(raw, axis=0)
        y = tf.constant([[1.0], [0.0]])
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
        g = tape.gradient(loss, w)
        """,
    gradient_in_the_loss="""
        d = tf.Variable([[0.3, 0.1], [0.2, -0.5]]); v = tf.Variable([[0.4], [0.6]])
        x = tf.constant([[1.0, 2.0], [0.5, -1.0]])
        with tf.GradientTape() as tape:
            with tf.GradientTape() as gp:
                gp.watch(x)
                s = tf.matmul(tf.tanh(tf.matmul(x, d)), v)
            gx = gp.gradient(s, x)
            norm = tf.sqrt(tf.reduce_sum(gx ** 2, axis=1) + 1e-12)
            loss = tf.reduce_mean(s) + 10.0 * tf.reduce_mean((norm - 1.0) ** 2)
        g = tape.gradient(loss, [d, v])
        """,
    second_derivative_in_the_loss="""
        w1, w2 = tf.Variable([[0.5, -0.3, 0.8]]), tf.Variable([[0.2], [0.4], [-0.6]])
        t = tf.constant([[0.0], [0.5], [1.0]])
        with tf.GradientTape() as tape:
            with tf.GradientTape() as o:
                o.watch(t)
                with tf.GradientTape() as i:
                    i.watch(t)
                    u = tf.matmul(tf.tanh(tf.matmul(t, w1)), w2)
                ut = i.gradient(u, t)
            utt = o.gradient(ut, t)
            loss = tf.reduce_mean(tf.square(utt + u))
        g = tape.gradient(loss, [w1, w2])
        """,
    weight_from_numbers="""
        w = tf.Variable([1.0, 2.0])
        for i in range(3):
            with tf.GradientTape() as tape:
                a = tf.reduce_sum(tf.square(w)); b = tf.reduce_sum(tf.abs(w - 1.0))
                k = float(a) / (float(b) + 1e-6)
                loss = a + k * b
            w.assign_sub(0.05 * tape.gradient(loss, w))
        """,
    averaged_teacher="""
        s = tf.Variable([1.0, 2.0]); t = tf.Variable(s, trainable=False)
        x = tf.constant([0.5, -0.5])
        for i in range(3):
            pt = tf.tanh(t * x)
            with tf.GradientTape() as tape:
                ps = tf.tanh(s * x)
                loss = tf.reduce_mean(tf.square(ps - pt)) + tf.reduce_mean(tf.square(ps - 1.0))
            s.assign_sub(0.1 * tape.gradient(loss, s)); t.assign(0.9 * t + 0.1 * s)
        """,
    measured_before_and_after="""
        w = tf.Variable([[0.2], [0.4]]); log = []
        x, y = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0], [2.0]])
        before = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
        g = tape.gradient(loss, w)
        w.assign_sub(0.01 * g)
        after = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
        log.append((float(before), float(after), float(before - after)))
        """,
    relative_to_the_start="""
        w = tf.Variable([[0.2], [0.4]])
        x, y = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[1.0], [2.0]])
        start = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
        for i in range(3):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y)) / start
            w.assign_sub(0.01 * tape.gradient(loss, w))
        """,
    target_of_the_next_state="""
        q = tf.Variable([[0.1, 0.2], [0.3, 0.4]])
        for s, a, r, n in [(0, 1, 1.0, 1), (1, 0, 0.0, 0)]:
            target = r + 0.9 * tf.reduce_max(q[n])
            with tf.GradientTape() as tape:
                td = target - q[s][a]
                loss = td * td
            q.assign_sub(0.1 * tape.gradient(loss, q))
        """,
    advantage_beside_the_value="""
        theta = tf.Variable([0.2, -0.1, 0.3])
        value = tf.Variable(0.5)
        for r in [1.0, 0.5]:
            advantage = r - value
            with tf.GradientTape() as tape:
                lp = tf.nn.log_softmax(theta)[1]
                loss = -lp * advantage + 0.5 * tf.square(r - value)
            gs = tape.gradient(loss, [theta, value])
            theta.assign_sub(0.1 * gs[0]); value.assign_sub(0.1 * gs[1])
        """,
    rows_of_a_jacobian="""
        x = tf.Variable([1.0, 2.0, 3.0])
        with tf.GradientTape(persistent=True) as tape:
            y = x * x
            parts = [y[i] for i in range(3)]
        rows = [tape.gradient(p, x) for p in parts]
        """,
    tied_weights="""
        e = tf.Variable([[0.1, 0.3], [0.2, 0.5], [0.7, 0.4]])
        ids = tf.constant([0, 2])
        with tf.GradientTape() as tape:
            hdn = tf.nn.relu(tf.gather(e, ids))
            logits = tf.matmul(hdn, e, transpose_b=True)
            loss = -tf.reduce_mean(tf.gather(tf.nn.log_softmax(logits), [1, 0], axis=1))
        g = tape.gradient(loss, e)
        """,
    unit_that_is_off="""
        w, b = tf.Variable([[0.4, -0.4], [0.3, 0.2]]), tf.Variable([0.0, 0.0])
        x = tf.constant([[1.0, 2.0]])
        with tf.GradientTape() as tape:
            a = tf.nn.relu(tf.matmul(x, w) + b)
            loss = tf.reduce_mean(tf.square(a - 1.0))
        g = tape.gradient(loss, [w, b])
        """,
    given_seeds="""
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = x * x
        g = tape.gradient(y, x, output_gradients=tf.constant([1.0, 0.0]))
        """,
    zeros_asked_for="""
        x, z = tf.Variable([1.0, 2.0]), tf.Variable(1.0)
        with tf.GradientTape() as tape:
            y = x * x
        g = tape.gradient(y, [x, z], unconnected_gradients="zero")
        """,
    rows_of_a_table_in_steps_that_are_passed_through="""
        table = tf.Variable([[0.2, -0.9], [0.5, 0.1], [-0.4, 0.3], [0.8, -0.6]])
        with tf.GradientTape() as tape:
            scale = tf.stop_gradient(tf.reduce_max(tf.abs(table)) / 7.0)
            q = table + tf.stop_gradient(tf.round(table / scale) * scale - table)
            loss = tf.reduce_sum(tf.square(tf.gather(q, [2]) - 0.15))
        g = tape.gradient(loss, table)
        """,
    share_of_small_errors="""
        w = tf.Variable(2.0)
        xs = tf.constant([1.0, 2.0, 3.0]); ys = tf.constant([1.0, 5.0, 2.0])
        with tf.GradientTape() as tape:
            e = w * xs - ys
            small = tf.abs(e) < 1.0
            loss = tf.reduce_mean(tf.where(small, 0.5 * e * e, tf.abs(e) - 0.5))
            share = float(tf.reduce_mean(tf.cast(small, tf.float32)))
            print(share) if share < 0 else None
        g = tape.gradient(loss, w)
        """,
    kernel_matrix="""
        x = tf.constant([[0.1], [0.4], [0.9]]); y = tf.constant([0.3, 0.1, 0.5]); ls = tf.Variable(0.5)
        with tf.GradientTape() as tape:
            d = x - tf.transpose(x)
            k = tf.exp(-d * d / ls) + 0.1 * tf.eye(3)
            loss = tf.reduce_sum(k * y[:, None] * y[None, :])
        g = tape.gradient(loss, ls)
        """,
    softmax_as_the_labels_and_as_what_is_shown="""
        w, teacher = tf.Variable([[0.4, 0.2]]), tf.constant([[2.0, 1.0]])
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(teacher + w), w))
            loss += tf.reduce_sum(tf.nn.log_softmax(tf.nn.log_softmax(w)))
            shown = tf.nn.softmax(w).numpy()
        g = tape.gradient(loss, w)
        """,
    attention_before_a_loss_with_logits="""
        w, x = tf.Variable([[0.4, 0.2], [0.1, -0.3]]), tf.constant([[2.0, 1.0], [0.0, 1.0]])
        with tf.GradientTape() as tape:
            scores = tf.matmul(tf.nn.softmax(tf.matmul(x, w)), x)
            loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)(tf.constant([0, 1]), scores)
        g = tape.gradient(loss, w)
        """,
    every_pair_of_scores="""
        w = tf.Variable([[0.4], [0.2]]); x = tf.constant([[1.0, 3.0], [2.0, 1.0], [0.0, 1.0]])
        with tf.GradientTape() as tape:
            s = tf.matmul(x, w)
            diff = s - tf.squeeze(s, axis=1)
            loss = tf.reduce_mean(tf.nn.softplus(-diff))
        g = tape.gradient(loss, w)
        """,
    a_jacobian_for_newtons_method="""
        q, goal = tf.Variable([0.3, 0.4]), tf.constant([0.9, 1.1])
        for _ in range(2):
            with tf.GradientTape() as tape:
                p = tf.stack([tf.cos(q[0]) + 0.8 * tf.cos(q[0] + q[1]), tf.sin(q[0]) + 0.8 * tf.sin(q[0] + q[1])])
            step = tf.linalg.solve(tape.jacobian(p, q), (goal - p)[:, None])
            q.assign_add(step[:, 0])
        """,
    vector_quantised="""
        enc, code = tf.Variable([[0.4, 0.2]]), tf.Variable([[0.0, 0.1], [1.0, 0.5]])
        x = tf.constant([[1.0], [2.0], [0.5]])
        with tf.GradientTape() as tape:
            z = tf.matmul(x, enc)
            d = tf.reduce_sum(tf.square(z[:, None] - code[None]), -1)
            q = tf.gather(code, tf.argmin(d, 1))
            zq = z + tf.stop_gradient(q - z)
            loss = tf.reduce_mean(tf.square(tf.reduce_sum(zq, 1, keepdims=True) - x))
            loss += tf.reduce_mean(tf.square(q - tf.stop_gradient(z)))
            loss += 0.25 * tf.reduce_mean(tf.square(tf.stop_gradient(q) - z))
        g = tape.gradient(loss, [enc, code])
        """,
)
"""Programs of which nothing above a hint may be said."""
