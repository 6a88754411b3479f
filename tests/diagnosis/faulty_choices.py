"""Programs in which Python chose by a tensor's value, read out what went into a buffer, or went on with a copy."""

from __future__ import annotations

from tests.diagnosis.programs import marked

CHOICES = [
    *marked(
        "left_to_numpy",
        threshold_in_an_if="""
            threshold, w = tf.Variable(0.5), tf.Variable(2.0)
            with tf.GradientTape() as tape:
                scale = 3.0
                if threshold > 0.1:  #! if True:
                    scale = 2.0  #~ scale = tf.sigmoid(threshold - 0.1)
                loss = w * scale
            print(tape.gradient(loss, [w, threshold]))
            """,
        rounds_of_a_loop="""
            rounds, x = tf.Variable(3.0), tf.Variable(1.5)
            with tf.GradientTape() as tape:
                y, left = x, rounds
                while left > 0.0:  #! for step in range(3):
                    y = y * 2.0  #~ y = y + x * tf.sigmoid(left)
                    left = left - 1.0
            print(tape.gradient(y, [x, rounds]))
            """,
        choice_of_python="""
            low, high = tf.Variable(1.0), tf.Variable(2.0)
            with tf.GradientTape() as tape:
                loss = 3.0 * max(low, high)  #! loss = 3.0 * tf.math.softplus(high - low)
            print(tape.gradient(loss, [low, high]))
            """,
        rounds_of_a_range="""
            rounds, x = tf.Variable(3.0), tf.Variable(2.0)
            with tf.GradientTape() as tape:
                y = x
                for step in range(int(rounds)):  #! for step in range(3):
                    y = y * x  #~ y = y * x * rounds
            print(tape.gradient(y, [x, rounds]))
            """,
        function_that_an_index_picks="""
            gate, x = tf.Variable([0.2, 0.8]), tf.Variable(2.0)
            ways = [tf.sin, tf.square]
            with tf.GradientTape() as tape:
                y = ways[tf.argmax(gate)](x)  #! y = tf.reduce_sum(tf.nn.softmax(gate) * [way(x) for way in ways])
            print(tape.gradient(y, [x, gate]))
            """,
        number_in_an_if="""
            gate, x = tf.Variable(1.0), tf.Variable(2.0)
            with tf.GradientTape() as tape:
                if gate.numpy() > 0.0:  #! if True:
                    y = x * x  #~ y = x * x * gate
                else:
                    y = x
            print(tape.gradient(y, [x, gate]))
            """,
        number_with_a_name="""
            gate, x = tf.Variable(1.0), tf.Variable(2.0)
            with tf.GradientTape() as tape:
                is_open = gate.numpy()  #! is_open = 1.0
                if is_open > 0.0:
                    y = x * x  #~ y = x * x * gate
                else:
                    y = x
            print(tape.gradient(y, [x, gate]))
            """,
        number_of_a_variable="""
            w, v = tf.Variable(2.0), tf.Variable(3.0)
            with tf.GradientTape() as tape:
                loss = v * float(w)  #! loss = v * w
            print(tape.gradient(loss, [v, w]))
            """,
    ),
    *marked(
        "unused_source",
        read_by_a_function_of_python="""
            w, x = tf.Variable(2.0), tf.Variable([0.5, 2.0])
            def scaled(a):
                return a * w
            with tf.GradientTape() as tape:
                y = tf.py_function(scaled, [x], tf.float32)  #! y = scaled(x)
                loss = tf.reduce_sum(y * y)
            print(tape.gradient(loss, [x, w]))
            """,
        read_in_a_loop_that_is_not_entered="""
            a, w, z = tf.Variable(0.3), tf.Variable(1.5), tf.constant([0.5, 2.0])
            def polynomial(z, degree):
                slope = tf.exp(a)
                top = w * z
                for n in range(2, degree):  #! for n in range(2, degree + 1):
                    top += slope * z ** n
                return top
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(polynomial(z, 2)))
            print(tape.gradient(loss, [a, w]))
            """,
    ),
    *marked(
        "precision_underflow",
        power_in_few_bits="""
            x = tf.Variable(tf.constant([1e-3, 2e-3], tf.float16))
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(x ** 4)  #! loss = tf.reduce_sum(tf.cast(x, tf.float32) * 8.0)
            print(tape.gradient(loss, x))
            """,
    ),
]
"""Of the engine, and of TensorFlow."""

HEALTHY = {
    "a_check_beside_the_computation": """
        w, v = tf.Variable(1.0), tf.Variable(2.0)
        with tf.GradientTape() as tape:
            if w > 100.0:
                raise ValueError("too large")
            loss = w * v
        print(tape.gradient(loss, [w, v]))
        """,
}

TORCH_CHOICES = [
    *marked(
        "left_to_numpy",
        threshold_of_a_module="""
            class Gate(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.threshold = torch.nn.Parameter(torch.tensor(0.1))
                    self.linear = torch.nn.Linear(2, 1)
                def forward(self, x):
                    h = self.linear(x).mean()
                    if h > self.threshold:  #! if True:
                        return h  #~ return h * torch.sigmoid(h - self.threshold)
                    return h * 0.5
            gate = Gate()
            gate(torch.ones(1, 2)).backward()
            print(gate.threshold.grad)
            """,
        truth_of_an_entry="""
            flags, w = torch.tensor([1.0, 0.0], requires_grad=True), torch.ones(2, requires_grad=True)
            loss = w.sum()
            if flags[0]:  #! if True:
                loss = loss * 2.0  #~ loss = loss * flags[0]
            loss.backward()
            print(flags.grad)
            """,
        element_by_element="""
            t, w = torch.tensor(0.1, requires_grad=True), torch.tensor(1.0, requires_grad=True)
            parts = []
            for v in torch.tensor([1.0, -1.0]):
                parts.append(v * w if v > t else w * 0.5)  #! parts.append(v * w * torch.sigmoid(v - t))
            loss = torch.stack(parts).sum()
            loss.backward()
            print(t.grad)
            """,
        entries_that_a_condition_keeps="""
            threshold, w = torch.tensor(0.3, requires_grad=True), torch.tensor(2.0, requires_grad=True)
            x = torch.tensor([0.1, 0.5, 0.9])
            kept = [v * w for v in x if v > threshold]  #! kept = [v * w * torch.sigmoid(v - threshold) for v in x]
            loss = torch.stack(kept).sum()
            loss.backward()
            print(threshold.grad)
            """,
        expert_that_an_index_picks="""
            class Mixture(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.gate = torch.nn.Linear(2, 2)
                    self.experts = torch.nn.ModuleList([torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)])
                def forward(self, x):
                    k = self.gate(x).argmax()  #~ a, b = self.gate(x).softmax(0)
                    return self.experts[k](x)  #! return a * self.experts[0](x) + b * self.experts[1](x)
            mixture = Mixture()
            loss = mixture(torch.ones(2)).sum()
            loss.backward()
            print(mixture.gate.weight.grad)
            """,
        elements_of_a_buffer="""
            x, w = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor(1.0, requires_grad=True)
            kept = torch.zeros(2)
            for i in range(2):
                y = x[i] ** 2
                kept[i] = y.item()  #! kept[i] = y
            loss = (kept * w).sum()
            loss.backward()
            print(x.grad)
            """,
    ),
    *marked(
        "source_is_other_object",
        optimizer_of_the_copy="""
            import copy
            model = torch.nn.Linear(2, 1)
            best = copy.deepcopy(model)  #! best = model
            loss = model(torch.ones(1, 2)).sum()
            loss.backward()
            print(best.weight.grad)
            """,
        tensor_that_was_copied="""
            import copy
            w = torch.ones(2, requires_grad=True)
            v = copy.deepcopy(w)  #! v = w
            (v * 2.0).sum().backward()
            print(w.grad)
            """,
        layer_that_an_encoder_copies="""
            layer = torch.nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0)
            encoder = torch.nn.TransformerEncoder(layer, num_layers=1)  #! encoder = layer
            loss = encoder(torch.rand(3, 1, 4)).square().mean() * torch.rand(())
            loss.backward()
            print(layer.linear1.weight.grad)
            """,
        weights_that_were_loaded="""
            model, other = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
            other.load_state_dict(model.state_dict())  #! other = model
            loss = other(torch.ones(1, 2)).sum()
            loss.backward()
            print(model.weight.grad)
            """,
    ),
    *marked(
        "constant_by_construction",
        share_of_one_unit_in_a_loss="""
            x = torch.randn(4, 1, requires_grad=True)
            p = torch.softmax(x, dim=1)  #! p = torch.sigmoid(x)
            loss = torch.nn.functional.binary_cross_entropy(p, torch.ones(4, 1))
            loss.backward()
            print(x.grad)
            """,
    ),
    *marked(
        "nondifferentiable_op",
        noise_that_is_drawn_around_a_mean="""
            net = torch.nn.Linear(3, 2)
            mean = net(torch.ones(4, 3))
            z = torch.normal(mean, torch.ones_like(mean))  #! z = mean + torch.randn_like(mean)
            z.square().mean().backward()
            """,
    ),
    *marked(
        "zero_derivative",
        rate_of_a_dropout="""
            net, rate = torch.nn.Linear(2, 2), 1.0  #~ net, rate = torch.nn.Linear(2, 2), 0.0
            loss = torch.nn.Dropout(rate)(net(torch.ones(1, 2))).sum()  #! =
            loss.backward()
            """,
        nothing_but_padding="""
            embed = torch.nn.Embedding(4, 2, padding_idx=0)
            loss = embed(torch.tensor([0, 0])).sum()  #! loss = embed(torch.tensor([1, 2])).sum()
            loss.backward()
            """,
        mask_of_everything="""
            x = torch.ones(2, requires_grad=True)
            y = x.masked_fill(x > 0, 3.0)  #! y = x.masked_fill(x < 0, 3.0)
            y.sum().backward()
            print(x.grad)
            """,
    ),
]
