"""Programs in which a call is given what it cannot take: no tensor, or no leaf."""

from __future__ import annotations

from tests.diagnosis.programs import marked

GIVEN = [
    *marked(
        "left_to_numpy",
        a_loss_read_out_as_one_number="""
            # raises
            w, x = tf.Variable([1.0, -2.0]), tf.constant([3.0, 0.5])
            with tf.GradientTape() as tape:
                error = tf.reduce_sum(w * x) - 1.0
                loss = (error * error).numpy()  #! loss = error * error
            g = tape.gradient(loss, w)
            """,
        a_loss_that_numpy_computed="""
            # raises
            def penalty(values):
                return np.mean(values)  #! return tf.reduce_mean(values)

            w = tf.Variable([1.0, -2.0])
            with tf.GradientTape() as tape:
                loss = penalty(w * w) * 0.5
            g = tape.gradient(loss, w)
            """,
    ),
    *marked(
        "api_misuse",
        an_array_as_the_source="""
            # raises
            w = tf.Variable([[1.0], [2.0]])
            image = np.array([[0.5, 0.25]], "float32")
            image = image / 0.5  #~ image = tf.Variable(image / 0.5)
            with tf.GradientTape() as tape:
                score = tf.matmul(image, w)
            g = tape.gradient(score, image)  #! =
            """,
        a_target_that_never_was_a_tensor="""
            # raises
            w = tf.Variable(2.0)
            with tf.GradientTape() as tape:
                loss = np.float32(0.0)  #~ loss = w * 2.0
            g = tape.gradient(loss, w)  #! =
            """,
    ),
]
"""Those of TensorFlow and of the engine alike."""

GIVEN_TENSORFLOW = marked(
    "api_misuse",
    pairs_the_other_way_round="""
    # raises
    w, v = tf.Variable([1.0, 2.0]), tf.Variable(3.0)
    optimizer = tf.keras.optimizers.SGD(0.1)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * v)
    gradients = tape.gradient(loss, [w, v])
    optimizer.apply_gradients(zip([w, v], gradients))  #! optimizer.apply_gradients(zip(gradients, [w, v]))
    """,
    the_inputs_of_a_model="""
    # raises
    given = tf.keras.Input((2,))
    model = tf.keras.Model(given, tf.keras.layers.Dense(1)(given))
    x = tf.constant([[1.0, 2.0]])
    with tf.GradientTape() as tape:
        pass  #~ tape.watch(x)
        y = model(x)
    g = tape.gradient(y, model.inputs)  #! g = tape.gradient(y, x)
    """,
)

GIVEN_TORCH = [
    *marked(
        "untracked_parameter",
        parameters_that_were_counted_before="""
            # raises
            net = torch.nn.Linear(2, 1)
            weights = net.parameters()  #! weights = list(net.parameters())
            count = sum(each.numel() for each in weights)
            optimizer = torch.optim.SGD(weights, lr=0.1)
            net(torch.ones(3, 2)).sum().backward()
            optimizer.step()
            """,
    ),
    *marked(
        "api_misuse",
        an_optimizer_of_a_result="""
            # raises
            canvas = torch.rand(3, 4, requires_grad=True) * 0.1  #! canvas = (torch.rand(3, 4) * 0.1).requires_grad_()
            optimizer = torch.optim.Adam([canvas], lr=0.1)
            canvas.square().sum().backward()
            optimizer.step()
            """,
    ),
    *marked(
        "integer_dtype",
        the_first_line_makes_a_leaf_of_integers="""
            # raises
            w = torch.tensor([1, 2], requires_grad=True)  #! w = torch.tensor([1.0, 2.0], requires_grad=True)
            (w * w).sum().backward()
            """,
        parameters_of_integers="""
            # raises
            class Polynomial(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    numbers = map(torch.tensor, (1, 2, 3))  #~ numbers = map(torch.tensor, (1.0, 2.0, 3.0))
                    self.all = torch.nn.ParameterList([torch.nn.Parameter(each) for each in numbers])  #! =
                def forward(self, x):
                    return sum(each * x**power for power, each in enumerate(self.all))
            Polynomial()(torch.ones(3)).sum().backward()
            """,
    ),
    *marked(
        "left_to_numpy",
        numpy_is_refused="""
            # raises
            w = torch.tensor([1.0, 2.0], requires_grad=True)
            loss = np.exp(w * 2.0).sum()  #! loss = torch.exp(w * 2.0).sum()
            loss.backward()
            """,
    ),
]
