"""PyTorch programs whose fault lies in what surrounds a pass: looks at `.grad`, hooks, twins, own gradient functions."""
# ruff: noqa: E501  (a repaired line stands beside the faulty one)

from __future__ import annotations

from tests.diagnosis.programs import marked

PASSES = [
    *marked(
        "stale_value",
        weights_that_autocast_goes_on_with="""
            net = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
            optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
            with torch.autocast("cpu", dtype=torch.bfloat16):  #~ for _ in range(3):
                for _ in range(3):  #~ with torch.autocast("cpu", dtype=torch.bfloat16):
                    loss = net(torch.ones(8, 2)).float().square().mean()
                    optimizer.zero_grad()  #~
                    loss.backward()  #~
                    optimizer.step()  #!
                pass  #~ optimizer.zero_grad();;loss.backward();;optimizer.step()
            """,
    ),
    *marked(
        "inplace_modification",
        result_that_is_filled="""
            w = torch.nn.Parameter(torch.ones(3))
            h = torch.tanh(w) * 2.0
            h.fill_(0.3)  #! h = h + 0.3
            (h * h).sum().backward()
            total = w.grad.abs().sum()
            """,
    ),
    *marked(
        "saturation",
        units_far_below_zero="""
            w = torch.nn.Parameter(torch.ones(3))
            h = torch.nn.functional.gelu(w - 1000.0)  #! h = torch.nn.functional.gelu(w - 1.0)
            (h - 1.0).square().sum().backward()
            total = w.grad.abs().sum()
            """,
    ),
    *marked(
        "used_before_backward",
        looked_at_after_a_gradient_that_is_handed_over="""
            w, x = torch.nn.Parameter(torch.ones(3)), torch.ones(3, requires_grad=True)
            (slope,) = torch.autograd.grad((w * x).sin().sum(), x, create_graph=True)
            loss = slope.square().sum()
            print(w.grad)  #! loss.backward();;print(w.grad)
            """,
    ),
    *marked(
        "no_higher_order_record",
        slope_that_uses_up_the_graph_of_its_own_term="""
            # raises
            net = torch.nn.Sequential(torch.nn.Linear(1, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
            x = torch.ones(3, 1, requires_grad=True)
            u = net(x)
            slope, = torch.autograd.grad(u.sum(), x)  #! slope, = torch.autograd.grad(u.sum(), x, create_graph=True)
            (slope + u).square().mean().backward()
            """,
    ),
    *marked(
        "nan_in_input",
        written_into_a_view_of_data="""
            x = torch.sin(torch.linspace(0.0, 3.0, 6)).reshape(1, 6)
            x[0] = float("nan")  #!
            w = torch.nn.Parameter(torch.ones(6))
            (x * w).square().sum().backward()
            """,
    ),
    *marked(
        "constant_by_construction",
        curvature_by_an_activation_behind_which_another_rectifier_stands="""
            first, second = torch.nn.Linear(3, 4), torch.nn.Linear(4, 4)
            h = torch.relu(first(torch.ones(2, 3)))
            score = torch.relu(second(h) + 2.0).sum()  #! score = torch.nn.functional.softplus(second(h) + 2.0).sum()
            slope, = torch.autograd.grad(score, h, create_graph=True)
            print(torch.autograd.grad(slope, h, grad_outputs=h))
            """,
    ),
    *marked(
        "scaled_gradient_used",
        clipped_by_norm_before_they_are_unscaled="""
            net, scaler = torch.nn.Linear(2, 1), torch.amp.GradScaler("cpu", init_scale=1024.0)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for _ in range(2):
                optimizer.zero_grad()
                scaler.scale(net(torch.ones(3, 2)).square().mean()).backward()
                torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)  #! scaler.unscale_(optimizer);;torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
                scaler.step(optimizer)
                scaler.update()
            """,
        clipped_by_value_before_they_are_unscaled="""
            net, scaler = torch.nn.Linear(2, 1), torch.amp.GradScaler("cpu", init_scale=1024.0)
            optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
            scaler.scale((net(torch.ones(3, 2)) - 1.0).square().mean()).backward()
            torch.nn.utils.clip_grad_value_(net.parameters(), 0.5)  #! scaler.unscale_(optimizer);;torch.nn.utils.clip_grad_value_(net.parameters(), 0.5)
            scaler.step(optimizer)
            """,
        shortened_by_hand_before_they_are_unscaled="""
            w, scaler = torch.nn.Parameter(torch.tensor([3.0, 4.0])), torch.amp.GradScaler("cpu", init_scale=1024.0)
            optimizer = torch.optim.SGD([w], lr=0.1)
            scaler.scale(w.square().sum()).backward()
            with torch.no_grad():
                length = w.grad.norm()
                w.grad.mul_(1.0 / length)  #! scaler.unscale_(optimizer);;length = w.grad.norm();;w.grad.mul_(1.0 / length)
            scaler.step(optimizer)
            """,
    ),
    *marked(
        "recording_disabled",
        layer_checkpointed_behind_a_frozen_embedding="""
            # raises
            from torch.utils.checkpoint import checkpoint
            embedding = torch.nn.Embedding(7, 4).requires_grad_(False)
            layer = torch.nn.Linear(4, 4)
            y = checkpoint(layer, embedding(torch.tensor([1, 2])), use_reentrant=True)  #! y = checkpoint(layer, embedding(torch.tensor([1, 2])), use_reentrant=False)
            y.sum().backward()
            """,
    ),
    *marked(
        "changed_recomputation",
        mode_changed_before_a_checkpoint_runs_again="""
            # raises
            from torch.utils.checkpoint import checkpoint
            net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout(0.5), torch.nn.ReLU())
            y = checkpoint(net, torch.ones(2, 4), use_reentrant=False)  #! =
            net.eval()  #~
            y.sum().backward()
            """,
    ),
    *marked(
        "changed_recomputation",
        weight_changed_before_a_checkpoint_runs_again="""
            from torch.utils.checkpoint import checkpoint
            w, x = torch.tensor([2.0], requires_grad=True), torch.ones(1, requires_grad=True)
            y = checkpoint(lambda t: (t * w).sin(), x, use_reentrant=False)
            w.data.fill_(3.0)  #!
            y.sum().backward()
            """,
        weight_changed_before_a_reentrant_checkpoint_runs_again="""
            from torch.utils.checkpoint import checkpoint
            w, x = torch.tensor([2.0], requires_grad=True), torch.ones(1, requires_grad=True)
            y = checkpoint(lambda t: (t * w).sin(), x, use_reentrant=True)
            with torch.no_grad():
                w.fill_(3.0)  #!
            y.sum().backward()
            """,
    ),
    *marked(
        "left_to_numpy",
        buffer_that_numpy_fills="""
            # raises
            x, out = torch.ones(2, requires_grad=True), torch.zeros(2)
            out.numpy()[:] = (x * 2.0).tolist()  #! out = x * 2.0
            out.sum().backward()
            """,
    ),
    *marked(
        "domain_edge",
        root_that_torchscript_takes="""
            root = torch.jit.trace(torch.sqrt, torch.ones(2))
            x = torch.zeros(2, requires_grad=True)
            root(x).sum().backward()  #! root(x + 1e-6).sum().backward()
            """,
        weight_of_a_layer_that_torchscript_runs="""
            class Scaled(torch.nn.Linear):
                def forward(self, x):
                    return torch.sqrt(x * self.bias)
            layer = Scaled(2, 2)
            torch.nn.init.zeros_(layer.bias)  #~ torch.nn.init.ones_(layer.bias)
            net = torch.jit.trace(layer, torch.ones(2))
            net(torch.ones(2)).sum().backward()  #! =
            """,
    ),
    *marked(
        "nondifferentiable_op",
        argument_that_torchscript_cuts_off="""
            mix = torch.jit.trace(lambda x, w: (x * w).detach() + x, (torch.ones(2), torch.ones(2)))  #~ mix = torch.jit.trace(lambda x, w: x * w + x, (torch.ones(2), torch.ones(2)))
            x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
            mix(x, w).sum().backward()  #! =
            print(w.grad)
            """,
    ),
    *marked(
        "changed_recomputation",
        number_changed_before_a_checkpoint_runs_again="""
            from torch.utils.checkpoint import checkpoint
            scale, x = [2.0], torch.ones(3, requires_grad=True)
            y = checkpoint(lambda t: (t * scale[0]).sin(), x, use_reentrant=False)  #! y = checkpoint(lambda t, by: (t * by).sin(), x, scale[0], use_reentrant=False)
            scale[0] = 3.0
            y.sum().backward()
            """,
        number_changed_before_a_reentrant_checkpoint_runs_again="""
            from torch.utils.checkpoint import checkpoint
            scale, x = [2.0], torch.ones(3, requires_grad=True)
            y = checkpoint(lambda t: (t * scale[0]).sin(), x, use_reentrant=True)  #! y = checkpoint(lambda t, by: (t * by).sin(), x, scale[0], use_reentrant=True)
            scale[0] = 3.0
            y.sum().backward()
            """,
        large_weights_changed_before_a_checkpoint_runs_again="""
            from torch.utils.checkpoint import checkpoint
            net, x = torch.nn.Linear(40, 40), torch.ones(2, 40, requires_grad=True)
            y = checkpoint(lambda t: net(t).sin(), x, use_reentrant=False)
            net.weight.data.mul_(0.5)  #!
            y.sum().backward()
            """,
    ),
    *marked(
        "inplace_modification",
        result_kept_by_hooks_and_written_over="""
            x = torch.zeros(2, requires_grad=True)
            with torch.autograd.graph.save_on_cpu():
                y = x.exp()
                y.add_(1.0)  #! y = y + 1.0
            y.sum().backward()
            """,
        weights_kept_by_hooks_and_overwritten="""
            net, x = torch.nn.Linear(2, 2), torch.ones(1, 2, requires_grad=True)
            with torch.autograd.graph.save_on_cpu():
                loss = net(x).square().sum()
            net.weight.data.mul_(0.0)  #! pass
            loss.backward()
            slope = x.grad
            """,
        results_that_their_op_keeps_filled_by_numpy="""
            x = torch.tensor([0.3, 0.7], requires_grad=True)
            y = x.exp()
            y.detach().numpy()[:] *= 3.0  #! y = y * 3.0
            y.sum().backward()
            """,
        array_that_is_filled_anew_for_each_term="""
            w, buffer, terms = torch.ones(3, requires_grad=True), np.zeros(3, dtype=np.float32), []
            for step in range(3):
                buffer[:] = step + 1
                x = torch.from_numpy(buffer)  #! x = torch.tensor(buffer)
                terms.append((w * x).sum())
            sum(terms).backward()
            slope = w.grad
            """,
        observations_in_one_array="""
            policy, seen, scores = torch.nn.Linear(3, 2), np.zeros(3, dtype=np.float32), []
            for step in range(3):
                now = torch.as_tensor(seen)  #! now = torch.as_tensor(seen.copy())
                scores.append(policy(now).log_softmax(-1)[step % 2])
                seen += 0.5 + step
            loss = -torch.stack(scores).sum()
            loss.backward()
            slope = policy.weight.grad
            """,
        large_weights_clipped_ahead_of_the_backward_pass="""
            critic = torch.nn.Sequential(torch.nn.Linear(40, 40), torch.nn.ReLU(), torch.nn.Linear(40, 40))
            optimizer = torch.optim.SGD(critic.parameters(), lr=0.1)
            loss = critic(torch.ones(3, 40)).square().mean()
            for p in critic.parameters():
                p.data.clamp_(-0.05, 0.05)  #! pass
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            """,
        large_result_that_numpy_writes_into="""
            x = torch.zeros(5000, requires_grad=True)
            y = x.exp()
            y.detach().numpy()[:] *= 3.0  #!
            y.sum().backward()
            """,
    ),
    *marked(
        "inplace_modification",
        function_that_writes_over_what_it_keeps="""
            # raises
            x = torch.linspace(0.5, 1.5, 3, requires_grad=True)
            torch.vander(x, 3).sum().backward()  #! torch.stack([x**2, x, torch.ones_like(x)], dim=-1).sum().backward()
            """,
        result_that_numpy_writes_into="""
            x = torch.zeros(2, requires_grad=True)
            y = x.exp()
            y.detach().numpy()[:] *= 3.0  #!
            y.sum().backward()
            """,
        weights_that_are_written_into_by_way_of_dlpack="""
            w, v = torch.tensor([2.0, 3.0], requires_grad=True), torch.ones(2, requires_grad=True)
            loss = (w * v).sum()
            shared = torch.from_dlpack(w.detach())  #! shared = w.detach().clone()
            shared.mul_(2.0)
            loss.backward()
            """,
        result_that_numpy_makes_zero="""
            x = torch.zeros(2, requires_grad=True)
            y = x.exp()
            seen = y.detach().numpy()  #! seen = y.detach().numpy().copy()
            seen[:] = 0.0
            y.sum().backward()
            """,
        weights_clipped_between_the_passes="""
            w, v = torch.tensor([2.0, 3.0], requires_grad=True), torch.ones(2, requires_grad=True)
            loss = (w * v).sum()
            w.data.clamp_(-0.5, 0.5)  #!
            loss.backward()
            """,
        weights_averaged_between_the_passes="""
            net, average = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1)), torch.full((1, 2), 0.5)
            loss = net(torch.ones(3, 2)).square().mean()
            net[2].weight.data.copy_(average)  #!
            loss.backward()
            """,
        weights_put_out_between_the_passes="""
            w, v = torch.tensor([2.0, 3.0], requires_grad=True), torch.ones(2, requires_grad=True)
            loss = (w * v).sum()
            w.data.zero_()  #!
            loss.backward()
            """,
    ),
    *marked(
        "nondifferentiable_op",
        division_that_rounds_down="""
            x = torch.tensor([1.5, 2.5], requires_grad=True)
            y = torch.div(x, 2, rounding_mode="floor")  #! y = torch.div(x, 2)
            y.sum().backward()
            """,
    ),
    *marked(
        "precision_underflow",
        angle_of_small_numbers="""
            y, x = (torch.tensor([1e-4], dtype=torch.float16, requires_grad=True) for _ in range(2))
            angle = torch.atan2(y, x)  #! angle = torch.atan2(y.float(), x.float())
            angle.sum().backward()
            """,
    ),
    *marked(
        "domain_edge",
        angle_of_a_point_at_the_origin="""
            y, x = (torch.zeros(1, requires_grad=True) for _ in range(2))  #~ y, x = (torch.ones(1, requires_grad=True) for _ in range(2))
            angle = torch.atan2(y, x)  #! =
            angle.sum().backward()
            """,
    ),
    *marked(
        "source_rebound",
        name_of_a_loop_over_parameters="""
            net = torch.nn.Linear(2, 1)
            for step in range(2):
                loss = (net(torch.ones(4, 2)) - 3.0).square().mean()
                net.zero_grad()
                loss.backward()
                with torch.no_grad():
                    for p in net.parameters():
                        p = p - 0.1 * p.grad  #! p -= 0.1 * p.grad
            """,
    ),
    *marked(
        "stop_gradient",
        parameters_detached_before_a_function_is_mapped="""
            # raises
            net = torch.nn.Linear(2, 1)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            weights = {name: each.detach() for name, each in net.named_parameters()}  #! weights = dict(net.named_parameters())
            def loss_of(weights, x):
                return torch.func.functional_call(net, weights, (x,)).square().sum()
            losses = torch.func.vmap(loss_of, (None, 0))(weights, torch.ones(3, 2))
            losses.mean().backward()
            optimizer.step()
            """,
    ),
    *marked(
        "cleared_before_use",
        cleared_in_each_pass_and_used_after_several="""
            net = torch.nn.Linear(2, 1)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for i in range(4):
                optimizer.zero_grad()  #!
                (net(torch.randn(4, 2)).square().mean() / 2).backward()
                if i % 2:
                    optimizer.step()  #~ optimizer.step();;optimizer.zero_grad()
            """,
    ),
    *marked(
        "nan_in_forward",
        norm_that_overflows_below_a_square="""
            x, w = torch.full((2, 4), 400.0).half(), torch.ones(4, dtype=torch.float16, requires_grad=True)
            h = x * w
            mean = h.pow(2).mean(-1, keepdim=True)  #! mean = h.float().pow(2).mean(-1, keepdim=True)
            loss = (h / mean.sqrt())[:, 0].float().square().sum()
            loss.backward()
            """,
        norm_whose_squares_overflow_float16="""
            x, w = torch.full((2, 4), 400.0).half(), torch.ones(4, dtype=torch.float16, requires_grad=True)
            h = x * w
            mean = h.pow(2).mean(-1, keepdim=True)  #! mean = h.float().pow(2).mean(-1, keepdim=True)
            loss = ((h / mean.sqrt()).float() * torch.arange(4.0)).sum()
            loss.backward()
            """,
    ),
    *marked(
        "unused_source",
        noise_in_the_place_of_what_a_function_gave="""
            net, x = torch.nn.Linear(2, 1), torch.randn(4, 2)
            def run(x):
                hidden = net(x)
                return hidden.tanh()
            out = run(x)
            out = torch.rand_like(out).requires_grad_()  #! out = out + torch.rand_like(out)
            out.square().mean().backward()
            slope = net.weight.grad
            """,
        numbers_of_the_shape_of_what_was_computed="""
            net, head = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
            hidden = torch.tanh(net(torch.randn(4, 2)))
            hidden = torch.zeros_like(hidden) + 0.5  #! hidden = hidden + 0.5
            head(hidden).square().mean().backward()
            slope = net.weight.grad
            """,
        scores_that_are_drawn_anew="""
            # raises
            net, image = torch.nn.Linear(4, 3).requires_grad_(False), torch.ones(1, 4, requires_grad=True)
            scores = net(image)
            scores = torch.rand_like(scores)  #! scores = scores + torch.rand_like(scores)
            scores[0, 2].backward()
            """,
        last_step_of_sentences_that_end_before="""
            long, short = torch.randn(5, 3, requires_grad=True), torch.randn(2, 3, requires_grad=True)
            lengths, lstm = torch.tensor([5, 2]), torch.nn.LSTM(3, 4, batch_first=True)
            batch = torch.nn.utils.rnn.pad_sequence([long, short], batch_first=True)
            packed, _ = lstm(torch.nn.utils.rnn.pack_padded_sequence(batch, lengths, batch_first=True))
            out, _ = torch.nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)
            last = out[:, -1]  #! last = out[torch.arange(2), lengths - 1]
            last.square().mean().backward()
            norm = short.grad.norm()
            """,
        sentence_of_a_batch_that_goes_unread="""
            words, others = torch.randn(2, 3, requires_grad=True), torch.randn(2, 3, requires_grad=True)
            rnn = torch.nn.GRU(3, 4)
            out, _ = rnn(torch.nn.utils.rnn.pad_sequence([words, others]))
            loss = out[:, 1].square().mean()  #! loss = out.square().mean()
            loss.backward()
            """,
        expert_that_no_row_chooses="""
            experts, x = torch.nn.ModuleList(torch.nn.Linear(2, 2) for _ in range(2)), torch.randn(4, 2)
            chosen = torch.zeros(4, 1, 2, dtype=torch.long)  #~ chosen = torch.tensor([0, 1, 0, 1]).reshape(4, 1, 1).expand(4, 1, 2)
            out = torch.stack([each(x) for each in experts], 1).gather(1, chosen)  #! =
            out.square().mean().backward()
            """,
    ),
    *marked(
        "used_before_backward",
        the_pass_is_forgotten="""
            w = torch.ones(3, requires_grad=True)
            optimizer = torch.optim.SGD([w], lr=0.1)
            for _ in range(2):
                optimizer.zero_grad()
                loss = (w * w).sum()
                pass  #~ loss.backward()
                optimizer.step()  #! optimizer.step()
            """,
        looked_at_ahead_of_the_pass="""
            w = torch.ones(3, requires_grad=True)
            loss = (w * w).sum()
            gradient = w.grad  #! loss.backward();;gradient = w.grad
            loss.backward()  #~ pass
            print(gradient)
            """,
        asserted_without_a_pass="""
            net = torch.nn.Linear(2, 1)
            loss = net(torch.ones(4, 2)).square().mean()
            pass  #~ loss.backward()
            try:
                assert net.weight.grad is not None  #! assert net.weight.grad is not None
            except AssertionError:
                pass
            """,
    ),
    *marked(
        "not_watched",
        gradient_that_is_returned="""
            net = torch.nn.Linear(3, 2)
            def saliency(image):
                net(image).sum().backward()
                return image.grad
            image = torch.ones(1, 3)  #! image = torch.ones(1, 3, requires_grad=True)
            shown = saliency(image)
            """,
        gradient_that_is_asserted="""
            net = torch.nn.Linear(3, 2)
            x = torch.ones(1, 3)  #! x = torch.ones(1, 3).requires_grad_()
            net(x).sum().backward()
            try:
                assert x.grad is not None
            except AssertionError:
                pass
            """,
        gradient_that_is_tested="""
            net = torch.nn.Linear(3, 2)
            x = torch.ones(1, 3)  #! x = torch.ones(1, 3).requires_grad_()
            net(x).sum().backward()
            if x.grad is None:
                print("no gradient")
            """,
    ),
    *marked(
        "unused_source",
        gradients_that_are_printed="""
            class Two(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.body, self.head, self.decoder = (torch.nn.Linear(2, 2) for _ in range(3))
                def forward(self, x):
                    h = torch.tanh(self.body(x))
                    return self.head(h), self.decoder(h)
            model, x = Two(), torch.ones(3, 2)
            logits, again = model(x)
            cost = (again - x).pow(2).mean()
            loss = logits.pow(2).mean()  #! loss = logits.pow(2).mean() + cost
            loss.backward()
            for name, p in model.named_parameters():
                print(name, None if p.grad is None else p.grad.norm())
            """,
    ),
    *marked(
        "source_is_other_object",
        words_that_are_looked_up_again="""
            words, out, text = torch.nn.Embedding(5, 3), torch.nn.Linear(3, 1), torch.tensor([1, 4])
            seen = words(text).detach().requires_grad_()
            score = out(torch.tanh(words(text))).sum()  #! score = out(torch.tanh(seen)).sum()
            score.backward()
            print(seen.grad)
            """,
        maps_that_a_model_makes_again="""
            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.features, self.head = torch.nn.Conv2d(1, 3, 3), torch.nn.Linear(3, 2)
                def forward(self, x):
                    return self.head(self.features(x).mean((2, 3)))
            net, x = Net(), torch.ones(1, 1, 5, 5)
            maps = net.features(x)
            maps.retain_grad()
            score = net(x)[0, 1]  #! score = net.head(maps.mean((2, 3)))[0, 1]
            score.backward()
            print(maps.grad)
            """,
    ),
    *marked(
        "source_rebound",
        a_perturbation_like_the_image="""
            x, w = torch.ones(2, 3), torch.tensor([0.5, -1.0, 2.0])
            delta = torch.zeros_like(x, requires_grad=True)
            for step in range(2):
                loss = ((x + delta) @ w).pow(2).sum()
                loss.backward()
                slope = delta.grad
                if slope is None:
                    break
                delta = torch.clamp(delta - 0.1 * slope.sign(), -0.3, 0.3)  #! delta = torch.clamp(delta - 0.1 * slope.sign(), -0.3, 0.3).detach().requires_grad_()
            """,
        drawn_weights_of_which_a_step_makes_results="""
            # raises
            w = torch.normal(0, 0.01, size=(2, 1), requires_grad=True)
            x = torch.ones(4, 2)
            for _ in range(2):
                loss = (x @ w - 1.0).pow(2).mean()
                loss.backward()
                w = w - 0.1 * w.grad  #! w.data -= 0.1 * w.grad;;w.grad = None
            """,
    ),
    *marked(
        "constant_by_construction",
        one_unit_whose_share_is_clipped="""
            net = torch.nn.Linear(3, 1)
            share = torch.softmax(net(torch.ones(4, 3)), dim=1)  #! share = torch.sigmoid(net(torch.ones(4, 3)))
            loss = torch.nn.functional.binary_cross_entropy(share.clamp(1e-6, 1 - 1e-6), torch.zeros(4, 1))
            loss.backward()
            """,
    ),
    *marked(
        "precision_underflow",
        cubes_of_what_is_zero_here_and_there="""
            w = torch.tensor([0.0, 5e-4, 1.0], dtype=torch.float16, requires_grad=True)  #~ w = torch.tensor([0.0, 5e-4, 1.0], requires_grad=True)
            seen = w * torch.tensor([1.0, 1.0, 0.0], dtype=torch.float16)  #~ seen = w * torch.tensor([1.0, 1.0, 0.0])
            loss = (seen ** 3).sum() * 1e-2  #! =
            loss.backward()
            """,
    ),
    *marked(
        "vanishing_depth",
        gradient_of_a_first_state_that_is_spent="""
            cell = torch.nn.RNNCell(2, 4)
            cell.weight_hh.data *= 0.01  #~ cell.weight_hh.data *= 2.0
            start = torch.zeros(3, 4, requires_grad=True)
            h = start
            for _ in range(30):  #~ for _ in range(3):
                h = cell(torch.ones(3, 2), h)  #! =
            h.pow(2).mean().backward()
            start.grad
            """,
    ),
    *marked(
        "unused_source",
        another_tensor_than_the_one_that_is_read="""
            def optimise(start, data):
                theta = start.clone().requires_grad_(True)
                other = torch.ones(3, requires_grad=True)
                loss = ((other * data).sum() - 1) ** 2  #! loss = ((other * theta * data).sum() - 1) ** 2
                loss.backward()
                return theta.grad
            optimise(torch.zeros(3), torch.tensor([1.0, 2.0, 3.0]))
            """,
    ),
    *marked(
        "unused_source",
        labels_of_the_shape_of_what_is_not_used="""
            critic, generator = torch.nn.Linear(3, 1), torch.nn.Linear(2, 3)
            opt = torch.optim.SGD(generator.parameters(), 0.1)
            fake = critic(generator(torch.ones(4, 2)))
            real = critic(torch.ones(4, 3))
            loss = torch.nn.functional.binary_cross_entropy_with_logits(real, torch.ones_like(fake))  #! loss = torch.nn.functional.binary_cross_entropy_with_logits(fake, torch.ones_like(real))
            loss.backward()
            opt.step()
            generator.weight.grad
            """,
    ),
    *marked(
        "no_higher_order_record",
        product_with_random_vectors="""
            # raises
            net = torch.nn.Linear(3, 2)
            weights = list(net.parameters())
            v = [torch.randn_like(w) for w in weights]
            loss = torch.tanh(net(torch.ones(4, 3))).pow(2).mean()
            g = torch.autograd.grad(loss, weights, retain_graph=True)  #! g = torch.autograd.grad(loss, weights, create_graph=True)
            dot = sum((a * b).sum() for a, b in zip(g, v))
            torch.autograd.grad(dot, weights)
            """,
    ),
    *marked(
        "stop_gradient",
        data_in_a_function_that_is_mapped="""
            from torch.func import grad, vmap
            w = torch.ones(3)
            def energy(x):
                return torch.tanh(x.data * w).sum()  #! return torch.tanh(x * w).sum()
            vmap(grad(energy))(torch.ones(5, 3))
            """,
    ),
    *marked(
        "left_to_numpy",
        numbers_of_several_layers_in_one_list="""
            layers = torch.nn.ModuleList(torch.nn.Linear(2, 1) for _ in range(3))
            def outputs(x):
                return torch.tensor([[m(row).item() for m in layers] for row in x], requires_grad=True)  #! return torch.cat([m(x) for m in layers], 1)
            loss = outputs(torch.ones(3, 2)).pow(2).mean()
            loss.backward()
            print([m.weight.grad for m in layers])
            """,
        detached_and_turned_before_numpy="""
            import numpy as np
            net = torch.nn.Linear(3, 3)
            opt = torch.optim.SGD(net.parameters(), 0.1)
            image = net(torch.ones(2, 3))
            array = np.asarray(image.detach().permute(1, 0))  #! array = image.permute(1, 0)
            shown = torch.from_numpy(np.clip(array, -1, 1))  #~ shown = torch.clip(array, -1, 1)
            loss = (torch.nn.Linear(2, 1)(shown) ** 2).mean()
            loss.backward()
            opt.step()
            net.weight.grad
            """,
    ),
    *marked(
        "graph_consumed",
        logarithms_that_are_made_once="""
            # raises
            class Mixture(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.logits = torch.nn.Parameter(torch.zeros(3))
                    self.log_pi = torch.log_softmax(self.logits, 0)  #! pass
                def forward(self, x):
                    pass  #~ self.log_pi = torch.log_softmax(self.logits, 0)
                    return -torch.logsumexp(self.log_pi - x[:, None] ** 2, 1).mean()
            model = Mixture()
            opt = torch.optim.SGD(model.parameters(), 0.1)
            for _ in range(2):
                loss = model(torch.ones(4))
                opt.zero_grad()
                loss.backward()
                opt.step()
            """,
    ),
    *marked(
        "missing_stop_gradient",
        value_of_the_next_state="""
            # hint
            q = torch.nn.Linear(4, 2)
            s, a, r = torch.ones(6, 4), torch.zeros(6, 1).long(), torch.ones(6)
            target = r + 0.9 * q(2 * s).max(1)[0]  #! target = r + 0.9 * q(2 * s).max(1)[0].detach()
            guess = q(s).gather(1, a).squeeze(1)
            loss = torch.nn.functional.smooth_l1_loss(guess, target)
            loss.backward()
            """,
    ),
    *marked(
        "integer_dtype",
        bounds_of_a_slice="""
            loc = torch.nn.Linear(4, 2)
            image = torch.rand(8, 8)
            x, y = (torch.sigmoid(loc(image[0, :4])) * 5).long().unbind(0)  #! x, y = torch.sigmoid(loc(image[0, :4])).unbind(0)
            crop = image[y : y + 3, x : x + 3]  #~ crop = image * x + y
            loss = crop.sum() * torch.ones(1, requires_grad=True).sum()
            loss.backward()
            loc.weight.grad
            """,
    ),
    *marked(
        "watched_too_late",
        image_after_its_score="""
            # raises
            net = torch.nn.Linear(4, 3).requires_grad_(False)
            def saliency(image):
                pass  #~ image.requires_grad_()
                score = net(image)[0, 1]
                image.requires_grad_()  #! pass
                score.backward()
                return image.grad
            saliency(torch.ones(1, 4))
            """,
    ),
    *marked(
        "untracked_parameter",
        optimizer_of_the_target_network="""
            import copy
            class Agent:
                def __init__(self):
                    self.policy = torch.nn.Linear(2, 2)
                    self.target = copy.deepcopy(self.policy)
                    self.optim = torch.optim.SGD(self.target.parameters(), lr=0.1)  #! self.optim = torch.optim.SGD(self.policy.parameters(), lr=0.1)
                def learn(self, s):
                    with torch.no_grad():
                        best = self.target(s).max(1).values
                    loss = (self.policy(s)[:, 0] - best).pow(2).mean()
                    self.optim.zero_grad()
                    loss.backward()
                    self.optim.step()
            agent = Agent()
            for _ in range(2):
                agent.learn(torch.ones(4, 2))
            """,
    ),
    *marked(
        "broadcast_mismatch",
        table_that_is_used_twice="""
            net = torch.nn.Linear(3, 1)
            def pinball(pred, y, q=0.9):
                e = y - pred  #! e = y - pred[:, 0]
                return torch.max(q * e, (q - 1) * e).mean()
            x = torch.arange(27.0).reshape(9, 3).sin()
            pinball(net(x), x.sum(1)).backward()
            """,
        table_of_two_regimes="""
            net = torch.nn.Linear(3, 1)
            x = torch.arange(27.0).reshape(9, 3).sin()
            error = net(x) - x.sum(1)  #! error = net(x)[:, 0] - x.sum(1)
            near = error.abs() < 1.0
            loss = torch.where(near, 0.5 * error**2, error.abs() - 0.5).mean()
            loss.backward()
            """,
    ),
    *marked(
        "missing_stop_gradient",
        advantage_of_a_distribution="""
            body, pi, v = torch.nn.Linear(4, 8), torch.nn.Linear(8, 2), torch.nn.Linear(8, 1)
            s, a, returns = torch.ones(6, 4), torch.tensor([0, 1, 1, 0, 1, 0]), torch.arange(6.0)
            h = torch.tanh(body(s))
            dist = torch.distributions.Categorical(logits=pi(h))
            advantage = returns - v(h).squeeze(-1)  #! =
            policy_loss = -(dist.log_prob(a) * advantage).mean()  #~ policy_loss = -(dist.log_prob(a) * advantage.detach()).mean()
            loss = policy_loss + 0.5 * advantage.pow(2).mean()
            loss.backward()
            """,
        advantage_of_a_density="""
            actor, critic = torch.nn.Linear(4, 2), torch.nn.Linear(4, 1)
            log_scale = torch.zeros(2, requires_grad=True)
            s, a, returns = torch.eye(4), torch.ones(4, 2), torch.arange(4.0)
            dist = torch.distributions.Normal(actor(s), log_scale.exp())
            advantage = returns - critic(s)[:, 0]  #! advantage = returns - critic(s)[:, 0].detach()
            loss = -(dist.log_prob(a).sum(-1) * advantage).mean() + (returns - critic(s)[:, 0]).pow(2).mean()
            loss.backward()
            """,
    ),
    *marked(
        "custom_gradient_bug",
        ones_like_the_upstream_gradient="""
            class Reverse(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    return x.view_as(x)
                @staticmethod
                def backward(ctx, g):
                    return -torch.ones_like(g)  #! return -g
            feature, domain = torch.nn.Linear(4, 8), torch.nn.Linear(8, 1)
            domain(Reverse.apply(feature(torch.ones(6, 4)))).square().mean().backward()
            """,
        nan_from_a_gradient_function="""
            class Unit(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    ctx.save_for_backward(x)
                    return x * 1.0
                @staticmethod
                def backward(ctx, g):
                    (x,) = ctx.saved_tensors
                    return g * x / x  #! return g * 1.0
            w = torch.nn.Parameter(torch.tensor([0.0, 2.0]))
            (Unit.apply(w * 3.0) * 2.0).sum().backward()
            """,
        nan_from_a_hook_on_a_leaf="""
            w = torch.nn.Parameter(torch.ones(3))
            w.register_hook(lambda g: g / (g - g))  #! w.register_hook(lambda g: g / g.norm())
            (w * 2.0).sum().backward()
            """,
        nan_from_a_hook_on_what_several_ops_read="""
            w = torch.nn.Parameter(torch.ones(3))
            h = w * 2.0
            h.register_hook(lambda g: g / (g - g))  #! h.register_hook(lambda g: g / g.norm())
            (h[0] - h.mean() * 5.0).backward()
            """,
        rule_that_gives_zeros_for_a_cube="""
            class Cube(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    ctx.save_for_backward(x)
                    return x ** 3
                @staticmethod
                def backward(ctx, g):
                    (x,) = ctx.saved_tensors
                    return 0 * g  #! return 3 * x ** 2 * g
            w = torch.nn.Parameter(torch.tensor([0.5, 2.0]))
            Cube.apply(w * 3.0).sum().backward()
            total = w.grad.abs().sum()
            """,
        nan_from_a_hook_on_a_result="""
            w = torch.nn.Parameter(torch.ones(3))
            h = w * 2.0
            h.register_hook(lambda g: g / (g - g))  #! h.register_hook(lambda g: g / g.norm())
            h.sum().backward()
            """,
        no_gradient_of_the_scale="""
            class Binarize(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x, scale):
                    ctx.save_for_backward(x, scale)
                    return torch.where(x >= 0, scale, -scale)
                @staticmethod
                def backward(ctx, grad):
                    x, scale = ctx.saved_tensors
                    grad_x = grad * (x.abs() <= 1).float()
                    return grad_x, None  #! return grad_x, (grad * x.sign()).sum()
            weight, scale = torch.tensor([0.1, -0.2], requires_grad=True), torch.tensor(0.5, requires_grad=True)
            Binarize.apply(weight, scale).square().sum().backward()
            shown = scale.grad
            """,
    ),
    *marked(
        "zero_derivative",
        hook_that_makes_zeros="""
            a, b = torch.nn.Linear(3, 4), torch.nn.Linear(4, 1)
            h = torch.tanh(a(torch.ones(5, 3)))
            h.register_hook(lambda g: g * 0)  #! h.register_hook(lambda g: g * 2)
            b(h).sum().backward()
            total = a.weight.grad.abs().sum()
            """,
        hook_of_what_several_ops_read="""
            a, b = torch.nn.Linear(3, 4), torch.nn.Linear(4, 1)
            h = torch.tanh(a(torch.ones(5, 3)))
            h.register_hook(lambda g: g * 0)  #! h.register_hook(lambda g: g * 2)
            (b(h).sum() + h.pow(2).mean()).backward()
            total = a.weight.grad.abs().sum()
            """,
        hook_of_the_first_of_several_results="""
            def loss_of(gru, x):
                h = gru(x)[0]
                h.register_hook(lambda g: g * 0)  #! h.register_hook(lambda g: g * 2)
                return h.square().mean()
            gru = torch.nn.GRU(3, 4, batch_first=True)
            loss_of(gru, torch.ones(2, 5, 3)).backward()
            total = gru.weight_ih_l0.grad.abs().sum()
            """,
        hook_of_a_parameter_that_makes_zeros="""
            net = torch.nn.Linear(3, 1)
            net.weight.register_hook(torch.zeros_like)  #! pass
            net(torch.ones(5, 3)).sum().backward()
            total = net.weight.grad.abs().sum()
            """,
    ),
    *marked(
        "zero_factor",
        words_of_a_table_masked_later="""
            table = torch.nn.Embedding(7, 6)
            h = table(torch.tensor([[1, 2, 3], [4, 5, 6]])).sum(1)
            mask = (h > 100.0).float()  #~ mask = (h > -100.0).float()
            h = h * mask  #! =
            (h.sum(1) - 0.3).square().mean().backward()
            total = table.weight.grad.abs().sum()
            """,
        both_sides_of_an_adapter_at_zero="""
            base = torch.nn.Linear(6, 4).requires_grad_(False)
            a = torch.nn.Parameter(torch.zeros(2, 6))  #~ a = torch.nn.Parameter(torch.ones(2, 6))
            b = torch.nn.Parameter(torch.zeros(4, 2))
            x = torch.ones(3, 6)
            out = base(x) + (x @ a.t()) @ b.t()  #! =
            out.square().mean().backward()
            total = a.grad.abs().sum() + b.grad.abs().sum()
            """,
    ),
    *marked(
        "missing_stop_gradient",
        temperature_that_also_moves_the_actor="""
            actor, alpha = torch.nn.Linear(2, 2), torch.zeros(1, requires_grad=True)
            for_actor, for_alpha = torch.optim.SGD(actor.parameters(), lr=0.1), torch.optim.SGD([alpha], lr=0.1)
            for _ in range(2):
                surprise = actor(torch.ones(4, 2)).log_softmax(1)[:, 0]
                actor_loss = (alpha.exp().detach() * surprise).mean()
                alpha_loss = -(alpha.exp() * (surprise + 2.0)).mean()  #! alpha_loss = -(alpha.exp() * (surprise.detach() + 2.0)).mean()
                for_actor.zero_grad()
                for_alpha.zero_grad()
                actor_loss.backward(retain_graph=True)
                alpha_loss.backward()
                for_actor.step()
                for_alpha.step()
            """,
        critic_that_steps_along_the_makers_loss="""
            maker, critic = torch.nn.Linear(3, 2), torch.nn.Linear(2, 1)
            for_maker, for_critic = (torch.optim.SGD(each.parameters(), lr=0.1) for each in (maker, critic))
            for _ in range(2):
                fake = maker(torch.ones(4, 3))
                critic_loss = critic(fake.detach()).square().mean()
                maker_loss = -critic(fake).mean()  #! =
                for_maker.zero_grad()
                for_critic.zero_grad()
                critic_loss.backward()
                pass  #~ for_critic.step();;maker_loss = -critic(fake).mean()
                maker_loss.backward()
                for_maker.step()
                for_critic.step()  #~ pass
            """,
    ),
    *marked(
        "graph_consumed",
        one_fake_for_both_players="""
            # raises
            G, D = torch.nn.Linear(3, 2), torch.nn.Linear(2, 1)
            fake = G(torch.ones(4, 3))
            judge_loss = D(fake).mean()  #~ judge_loss = D(fake.detach()).mean()
            judge_loss.backward()
            maker_loss = -D(fake).mean()  #! =
            maker_loss.backward()
            """,
    ),
    *marked(
        "inplace_modification",
        mask_written_into_the_shares="""
            # raises
            x = torch.ones(2, 3, 3, requires_grad=True)
            shares = torch.softmax(x * 2.0, dim=-1)
            mask = torch.ones(3, 3).triu(1).bool()
            shares[:, mask] = 0.0  #! shares = torch.where(mask, 0.0, shares)
            shares.square().sum().backward()
            """,
    ),
]
"""Each with its repaired form."""

HEALTHY = {
    "array_that_is_filled_anew_for_each_step": """
import numpy as np
memory, net = np.zeros((4, 3), dtype=np.float32), torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    memory[:] = step + 1
    batch = torch.from_numpy(memory)
    optimizer.zero_grad()
    loss = net(batch).square().mean()
    loss.backward()
    optimizer.step()
""",
    "array_of_which_another_part_is_written": """
import numpy as np
memory, w = np.ones((4, 3), dtype=np.float32), torch.ones(3, requires_grad=True)
rows = torch.as_tensor(memory[:2])
loss = (w * rows).sum()
memory[2:] = 5.0
loss.backward()
""",
    "policy_before_the_steps_on_the_line_of_its_draw": """
        policy, states = torch.nn.Linear(4, 3), torch.randn(16, 4)
        optimizer = torch.optim.Adam(policy.parameters())
        with torch.no_grad():
            d = torch.distributions.Categorical(logits=policy(states)); action = d.sample(); before = d.log_prob(action)
        for _ in range(2):
            d = torch.distributions.Categorical(logits=policy(states))
            loss = -((d.log_prob(action) - before).exp() * torch.randn(16)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        """,
    "clipped_after_they_are_unscaled": """
        net, scaler = torch.nn.Linear(2, 1), torch.amp.GradScaler("cpu", init_scale=1024.0)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            scaler.scale(net(torch.ones(3, 2)).square().mean()).backward()
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(net.parameters(), 0.01)
            scaler.step(optimizer)
            scaler.update()
        """,
    "averaged_before_they_are_unscaled": """
        net, scaler = torch.nn.Linear(2, 1), torch.amp.GradScaler("cpu", init_scale=1024.0)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(2):
            scaler.scale(net(torch.ones(3, 2)).square().mean()).backward()
        for each in net.parameters():
            each.grad.div_(2.0)
        print(torch.nn.utils.get_total_norm([each.grad for each in net.parameters()]))
        scaler.step(optimizer)
        scaler.update()
        """,
    "clipped_within_a_limit_that_none_reaches": """
        net, scaler = torch.nn.Linear(2, 1), torch.amp.GradScaler("cpu", init_scale=1.0)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        scaler.scale(net(torch.ones(3, 2)).square().mean()).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1e9)
        scaler.step(optimizer)
        """,
    "large_weights_exchanged_and_put_back_before_the_backward_pass": """
        net, x = torch.nn.Linear(64, 64), torch.randn(3, 64, requires_grad=True)
        loss, own = net(x).square().mean(), net.weight.detach().clone()
        net.weight.data.copy_(torch.zeros(64, 64))
        net.weight.data.copy_(own)
        loss.backward()
        """,
    "slopes_of_one_model_per_seed": """
        x = torch.ones(1, 3, requires_grad=True)
        for seed in (0, 1):
            torch.manual_seed(seed)
            model = torch.nn.Linear(3, 1)
            print(torch.autograd.grad(model(x).sum(), x))
        """,
    "weights_clipped_after_each_step": """
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            net(torch.ones(3, 2)).square().mean().backward()
            optimizer.step()
            for each in net.parameters():
                each.data.clamp_(-0.1, 0.1)
        """,
    "weights_exchanged_and_put_back_before_the_backward_pass": """
        w, v, average = torch.tensor([2.0, 3.0], requires_grad=True), torch.ones(2, requires_grad=True), torch.ones(2)
        loss, own = (w * v).sum(), w.detach().clone()
        w.data.copy_(average)
        print((w * v).sum().item())
        w.data.copy_(own)
        loss.backward()
        """,
    "average_of_two_nets_that_learns_on": """
        a, b, c = (torch.nn.Linear(2, 1) for _ in range(3))
        with torch.no_grad():
            for p, q, r in zip(a.parameters(), b.parameters(), c.parameters()):
                r.copy_((p + q) / 2)
        optimizer = torch.optim.SGD(c.parameters(), lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            c(torch.randn(4, 2)).square().mean().backward()
            optimizer.step()
        """,
    "residual_that_is_made_of_a_gradient_at_points_that_are_leaves": """
        net, x = torch.nn.Linear(1, 1), torch.ones(3, 1, requires_grad=True)
        for _ in range(2):
            u = net(x).tanh()
            slope = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
            net.zero_grad()
            (slope + u).square().mean().backward()
        """,
    "jacobian_of_a_function": """
        from torch.func import jacrev, vmap
        def f(x):
            return torch.stack([x[1], torch.sin(x[0])])
        jacrev(f)(torch.tensor([0.1, 0.2]))
        vmap(jacrev(f))(torch.ones(3, 2))
        """,
    "jacobian_row_by_row": """
        q = torch.tensor([0.3, 0.4], requires_grad=True)
        p = torch.stack([torch.cos(q[0]), torch.sin(q[0] + q[1])])
        rows = [torch.autograd.grad(each, q, retain_graph=True)[0] for each in p]
        J = torch.autograd.functional.jacobian(lambda v: torch.stack([v[0].cos(), v.sum().sin()]), q)
        """,
    "several_passes_in_one_block_of_autocast": """
        net = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
        for _ in range(2):
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                for x in torch.ones(3, 8, 2):
                    net(x).float().square().mean().backward()
            optimizer.step()
        """,
    "steps_in_a_block_of_autocast_that_keeps_no_copies": """
        net = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
        with torch.autocast("cpu", dtype=torch.bfloat16, cache_enabled=False):
            for _ in range(3):
                optimizer.zero_grad()
                net(torch.ones(8, 2)).float().square().mean().backward()
                optimizer.step()
        """,
    "arrays_that_nobody_writes_into": """
        w, v = torch.tensor([2.0, 3.0], requires_grad=True), torch.ones(2, requires_grad=True)
        w.detach().numpy()[:] = 1.0
        seen = v.detach().numpy()
        for _ in range(2):
            loss = (w * v).exp().sum()
            total, other = w.detach().numpy().sum(), torch.from_dlpack(v.detach()).sum()
            w.grad = v.grad = None
            seen[:] = 1.0
            loss.backward()
        w.detach().numpy()[:] = 5.0
        """,
    "a_checkpoint_that_runs_ahead_of_the_step": """
        from torch.utils.checkpoint import checkpoint
        net = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            checkpoint(net, torch.ones(3, 2), use_reentrant=False).square().mean().backward()
            optimizer.step()
        """,
    "a_checkpoint_that_keeps_statistics_and_draws_at_random": """
        from torch.utils.checkpoint import checkpoint
        net = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.BatchNorm1d(4), torch.nn.Dropout(0.5), torch.nn.Linear(4, 1))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            checkpoint(net, torch.randn(8, 2), use_reentrant=False).square().mean().backward()
            optimizer.step()
        """,
    "hooks_that_keep_other_numbers_on_purpose": """
        x = torch.linspace(0.1, 0.9, 4, requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t.half(), lambda t: t.float()):
            y = (x.exp() * x).sum()
        y.backward()
        """,
    "large_weights_that_are_moved_after_the_pass_that_needs_them": """
        net, slow = torch.nn.Linear(40, 40), torch.nn.Linear(40, 40).requires_grad_(False)
        for _ in range(2):
            net.zero_grad()
            net(torch.ones(3, 40)).square().mean().backward()
            with torch.no_grad():
                for p, q in zip(net.parameters(), slow.parameters()):
                    p -= 0.01 * p.grad
                    q.mul_(0.9).add_(p, alpha=0.1)
        """,
    "what_torchscript_runs": """
        first, second = torch.jit.trace(torch.nn.Linear(2, 3), torch.ones(1, 2)), torch.jit.trace(torch.tanh, torch.ones(3))
        optimizer = torch.optim.SGD(first.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            second(first(torch.ones(4, 2))).square().mean().backward()
            optimizer.step()
        """,
    "a_look_that_expects_nothing": """
        w, x = torch.ones(3, requires_grad=True), torch.ones(3)
        (w * x).sum().backward()
        w.grad.zero_()
        w.grad = None
        """,
    "a_new_leaf_in_each_pass_that_is_asked_whether_it_has_a_gradient": """
        w = torch.ones(3)
        for step in range(2):
            x = torch.full((3,), step + 1.0, requires_grad=True)
            print(type(x), hasattr(x, "grad"), getattr(x, "grad", None))
            (w * x * x).sum().backward()
            w = w - 0.1 * x.grad
        """,
    "leaves_of_which_only_some_are_known_to_have_a_gradient": """
        used, idle = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
        (used * used).sum().backward()
        shapes = [each.shape for each in (used, idle) if hasattr(each, "grad")]
        found = [each.grad for each in (used, idle) if each.grad is not None]
        """,
    "two_players_of_one_optimizer_each": """
        G, D = torch.nn.Linear(3, 2), torch.nn.Linear(2, 1)
        makers, judges = torch.optim.SGD(G.parameters(), 0.1), torch.optim.SGD(D.parameters(), 0.1)
        for _ in range(2):
            fake = G(torch.ones(4, 3))
            judges.zero_grad()
            D(fake.detach()).square().mean().backward()
            judges.step()
            makers.zero_grad()
            (D(fake) - 1.0).square().mean().backward()
            makers.step()
        """,
    "a_test_for_a_gradient_that_may_come": """
        net = torch.nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(2):
            for p in net.parameters():
                if p.grad is not None:
                    p.grad.zero_()
            net(torch.ones(2, 3)).square().mean().backward()
            optimizer.step()
        """,
    "a_look_at_what_wants_no_gradient": """
        w, x = torch.ones(3, requires_grad=True), torch.ones(3)
        nothing = x.grad
        (w * x).sum().backward()
        """,
    "a_hook_that_watches": """
        norms = []
        net = torch.nn.Linear(3, 1)
        h = net(torch.ones(2, 3))
        h.register_hook(lambda g: norms.append(float(g.norm())))
        h.sum().backward()
        """,
}
"""What is near to them and right."""
