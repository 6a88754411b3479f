"""PyTorch programs with one fault each, in the shapes of larger code: modules, helpers, loops and trainers."""
# ruff: noqa: E501  (a repaired line stands beside the faulty one)

from __future__ import annotations

from tests.diagnosis.programs import marked

MODULES = [
    *marked(
        "not_watched",
        adversarial_image="""
            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.conv = torch.nn.Conv2d(1, 2, 3)
                    self.out = torch.nn.Linear(8, 2)
                def forward(self, x):
                    return self.out(torch.relu(self.conv(x)).flatten(1))
            net = Net()
            image = torch.rand(1, 1, 4, 4)  #! image = torch.rand(1, 1, 4, 4, requires_grad=True)
            loss = torch.nn.functional.cross_entropy(net(image), torch.tensor([1]))
            loss.backward()
            step = image.grad
            print(step)
            """,
        asked_by_autograd_grad="""
            # raises
            w = torch.randn(3, requires_grad=True)
            t = torch.linspace(0.0, 1.0, 3)  #! t = torch.linspace(0.0, 1.0, 3, requires_grad=True)
            u = torch.sin(w * t)
            (du,) = torch.autograd.grad(u.sum(), t)
            """,
        plain_optimised_tensor="""
            # raises
            def rosen(p):
                return (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2
            p = torch.tensor([0.5, 0.5])  #! p = torch.tensor([0.5, 0.5], requires_grad=True)
            opt = torch.optim.SGD([p], lr=1e-3)
            for _ in range(2):
                opt.zero_grad()
                rosen(p).backward()
                opt.step()
            """,
    ),
    *marked(
        "watched_too_late",
        asked_after_the_network="""
            net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh())
            x = torch.ones(1, 2)
            y = net(x).sum()  #~ x.requires_grad_();;y = net(x).sum()
            x.requires_grad = True  #!
            y.backward()
            print(x.grad)
            """,
        in_a_helper="""
            def sensitivity(f, x):
                out = f(x)  #~ x.requires_grad_(True);;out = f(x)
                x.requires_grad_(True)  #!
                return torch.autograd.grad(out, x, allow_unused=True)[0]
            w = torch.tensor([2.0], requires_grad=True)
            print(sensitivity(lambda q: (q * w).sum(), torch.tensor([1.0])))
            """,
    ),
    *marked(
        "source_is_other_object",
        fast_weights_that_the_call_of_the_module_does_not_see="""
            # raises
            net = torch.nn.Linear(2, 1)
            fast = {key: value.clone() for key, value in net.named_parameters()}  #! =
            x, y = torch.randn(5, 2), torch.randn(5, 1)
            loss = ((net(x) - y) ** 2).mean()  #~ loss = ((torch.func.functional_call(net, fast, (x,)) - y) ** 2).mean()
            grads = torch.autograd.grad(loss, list(fast.values()), create_graph=True)
            """,
        moved_copy_in_the_optimizer="""
            base = torch.nn.Linear(2, 1)
            import copy
            used = copy.deepcopy(base)  #! used = base
            loss = used(torch.ones(1, 2)).sum()
            loss.backward()
            print(base.weight.grad)
            """,
        view_after_the_loss="""
            w = torch.randn(4, requires_grad=True)
            loss = (w ** 3).sum()
            first = w[:2]  #! first = w
            try:
                g = torch.autograd.grad(loss, first)
            except RuntimeError:
                pass
            """,
        module_replaced_after_the_forward="""
            net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(), torch.nn.Linear(2, 1))
            loss = net(torch.ones(1, 2)).sum()
            net[2] = torch.nn.Linear(2, 1)  #! pass
            loss.backward()
            print([p.grad for p in net.parameters()])
            """,
    ),
    *marked(
        "source_rebound",
        optimised_image_clamped="""
            # raises
            vgg = torch.nn.Conv2d(1, 2, 3)
            img = torch.rand(1, 1, 6, 6, requires_grad=True)
            opt = torch.optim.Adam([img], lr=0.05)
            for _ in range(3):
                opt.zero_grad()
                loss = vgg(img).pow(2).sum()
                loss.backward()
                opt.step()
                img = img.clamp(0, 1)  #! img.data.clamp_(0, 1)
            """,
        manual_descent="""
            # raises
            w = torch.tensor([1.0, -1.0], requires_grad=True)
            for _ in range(2):
                loss = (w * w).sum()
                loss.backward()
                if w.grad is None:
                    break
                with torch.no_grad():
                    w = w - 0.1 * w.grad  #! w -= 0.1 * w.grad;;w.grad.zero_()
            """,
    ),
    *marked(
        "source_rebound non_leaf_grad",
        rescaled_parameter="""
            a = torch.tensor(3.0, requires_grad=True)
            a = a / 10.0  #! a = torch.tensor(0.3, requires_grad=True)
            y = torch.exp(a)
            y.backward()
            print(a.grad)
            """,
    ),
    *marked(
        "source_rebound",
        update_that_makes_a_result="""
            # raises
            x, rate = torch.ones(4, 3), 0.1
            W = torch.full((3, 1), 0.5, requires_grad=True)
            for epoch in range(3):
                loss = (x @ W).pow(2).mean()
                loss.backward()
                W = W - rate * W.grad  #! with torch.no_grad(): W -= rate * W.grad;;W.grad = None
            """,
        update_that_is_clipped="""
            # raises
            w = torch.tensor([0.5, 2.0], requires_grad=True)
            for epoch in range(2):
                (w ** 3).sum().backward()
                w = (w - 0.1 * w.grad).clamp(0.0, 1.0)  #! with torch.no_grad(): w.copy_((w - 0.1 * w.grad).clamp(0.0, 1.0));;w.grad = None
            """,
        flattened_under_its_own_name="""
            image = torch.ones(2, 3, requires_grad=True)
            image = image.reshape(-1)  #! flat = image.reshape(-1)
            image.pow(2).sum().backward()
            norm = image.grad
            """,
    ),
    *marked(
        "graph_consumed non_leaf_grad",
        scaled_leaf_in_a_loop="""
            # raises
            W = torch.randn(3, 3, requires_grad=True) * 0.01  #! W = (torch.randn(3, 3) * 0.01).requires_grad_()
            for epoch in range(2):
                loss = (torch.ones(2, 3) @ W).pow(2).mean()
                loss.backward()
            """,
    ),
    *marked(
        "zero_derivative",
        expert_that_no_row_chose="""
            x, out = torch.ones(3, 2), torch.zeros(3, 2)
            experts = torch.nn.ModuleList(torch.nn.Linear(2, 2) for _ in range(2))
            chosen = torch.ones(3, dtype=torch.long)  #~ chosen = torch.tensor([0, 1, 1])
            for at, expert in enumerate(experts):
                mine = chosen == at
                out[mine] = expert(x[mine])  #! =
            out.pow(2).mean().backward()
            """,
    ),
    *marked(
        "no_higher_order_record",
        adapted_by_a_gradient_without_a_graph="""
            w, x = torch.ones(3, requires_grad=True), torch.eye(3) + 1.0
            inner = (x @ w).pow(2).mean()
            (g,) = torch.autograd.grad(inner, w)  #! (g,) = torch.autograd.grad(inner, w, create_graph=True)
            fast = w - 0.1 * g
            (x @ fast).pow(3).mean().backward()
            """,
        penalty_by_a_gradient_without_a_graph="""
            # raises
            x = torch.randn(5, 3, requires_grad=True)
            critic = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
            (slope,) = torch.autograd.grad(critic(x).sum(), x)  #! (slope,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
            (slope.norm(dim=1) - 1).pow(2).mean().backward()
            """,
    ),
    *marked(
        "not_trainable",
        head_frozen_by_a_part_of_its_name="""
            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.conv, self.conv_head = torch.nn.Conv2d(1, 2, 3), torch.nn.Linear(8, 3)
                def forward(self, x):
                    return self.conv_head(self.conv(x).relu().flatten(1))
            net = Net()
            for name, p in net.named_parameters():
                if "conv" in name:
                    p.requires_grad = False  #! p.requires_grad = not name.startswith("conv.")
            scale = torch.nn.Parameter(torch.tensor(1.0))
            opt = torch.optim.Adam(net.conv_head.parameters())
            loss = (scale * net(torch.rand(4, 1, 4, 4))).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            """,
        all_of_it_frozen="""
            # raises
            net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
            for parameter in net.parameters():
                parameter.requires_grad_(False)  #! pass
            loss = net(torch.ones(3, 2)).sum()
            loss.backward()
            """,
    ),
    *marked(
        "untracked_parameter",
        head_put_in_the_place_of_another_after_the_optimizer="""
            model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 5))
            optimizer = torch.optim.SGD(model.parameters(), 0.1)  #~ pass
            model[2] = torch.nn.Linear(3, 1)  #! model[2] = torch.nn.Linear(3, 1);;optimizer = torch.optim.SGD(model.parameters(), 0.1)
            for _ in range(2):
                optimizer.zero_grad()
                model(torch.randn(4, 2)).square().mean().backward()
                optimizer.step()
            """,
        table_made_larger_after_the_optimizer="""
            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.table, self.out = torch.nn.Embedding(3, 2), torch.nn.Linear(2, 1)
                def grow(self):
                    table = torch.nn.Embedding(5, 2)  #! =
                    table.weight.data[:3] = self.table.weight.data
                    self.table = table
            net = Net()
            optimizer = torch.optim.SGD(net.parameters(), 0.1)  #~ net.grow()
            net.grow()  #~ optimizer = torch.optim.SGD(net.parameters(), 0.1)
            for _ in range(2):
                optimizer.zero_grad()
                net.out(net.table(torch.arange(5))).square().mean().backward()
                optimizer.step()
            """,
        model_made_anew_after_its_optimizer="""
            model = torch.nn.Linear(2, 1)
            optimizer = torch.optim.SGD(model.parameters(), 0.1)  #! =
            model = torch.nn.Linear(2, 1)  #~ pass
            for step in range(2):
                optimizer.zero_grad()
                model(torch.ones(3, 2)).pow(2).mean().backward()
                optimizer.step()
            """,
    ),
    *marked(
        "stop_gradient",
        made_a_leaf_so_that_backward_runs="""
            net = torch.nn.Linear(3, 4)
            loss = net(torch.ones(2, 3)).detach().mean()  #! loss = net(torch.ones(2, 3)).mean()
            loss.requires_grad = True  #~ pass
            loss.backward()
            """,
    ),
    *marked(
        "recording_disabled",
        made_a_leaf_after_no_grad="""
            net = torch.nn.Linear(3, 4)
            optimizer = torch.optim.SGD(net.parameters(), 0.1)
            with torch.no_grad():  #! if True:
                loss = net(torch.ones(2, 3)).mean()
            loss.requires_grad_()  #~ pass
            loss.backward()
            optimizer.step()
            """,
    ),
    *marked(
        "rebuilt_as_leaf",
        losses_made_a_new_leaf="""
            net = torch.nn.Linear(3, 1)
            losses = [net(torch.full((2, 3), k)).pow(2).mean() for k in (1.0, 2.0)]
            torch.tensor(losses, requires_grad=True).mean().backward()  #! torch.stack(losses).mean().backward()
            """,
    ),
    *marked(
        "non_leaf_grad",
        doubled_after_creation="""
            x = torch.ones(3, requires_grad=True) * 2.0  #! x = (torch.ones(3) * 2.0).requires_grad_()
            loss = (x ** 2).sum()
            loss.backward()
            print(x.grad)
            """,
        attention_weights_in_a_module="""
            class Att(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.q = torch.nn.Linear(2, 2)
                def forward(self, x):
                    self.a = torch.softmax(self.q(x) @ x.T, -1)  #! self.a = torch.softmax(self.q(x) @ x.T, -1);;self.a.retain_grad()
                    return self.a @ x
            att = Att()
            out = att(torch.tensor([[1.0, 0.0], [0.0, 2.0]]))
            out.pow(2).sum().backward()
            print(att.a.grad)
            """,
        moved_to_double="""
            p = torch.nn.Parameter(torch.ones(2)).double()  #! p = torch.nn.Parameter(torch.ones(2).double())
            (p * 3).sum().backward()
            print(p.grad)
            """,
    ),
    *marked(
        "not_trainable",
        frozen_by_name="""
            net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
            for name, p in net.named_parameters():
                if "0" in name:
                    p.requires_grad = False  #! pass
            net(torch.ones(1, 2)).sum().backward()
            print(net[0].weight.grad)
            """,
        frozen_between_the_passes="""
            w, v = torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.ones(2))
            loss = (w * v).sum()
            w.requires_grad_(False)  #! pass
            loss.backward()
            print(w.grad)
            """,
        buffer_asked="""
            class Scale(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.register_buffer("gain", torch.ones(2))  #! self.gain = torch.nn.Parameter(torch.ones(2))
                    self.lin = torch.nn.Linear(2, 2)
                def forward(self, x):
                    return self.lin(x) * self.gain
            m = Scale()
            m(torch.ones(1, 2)).sum().backward()
            print(m.gain.grad)
            """,
        parameter_made_frozen="""
            w = torch.nn.Parameter(torch.ones(2), requires_grad=False)  #! w = torch.nn.Parameter(torch.ones(2))
            v = torch.nn.Parameter(torch.ones(2))
            (w * v).sum().backward()
            print(w.grad)
            """,
    ),
    *marked(
        "integer_dtype",
        long_of_a_parameter="""
            r = torch.tensor(2.7, requires_grad=True)
            n = r.long()  #! n = r
            y = n * torch.tensor(0.5, requires_grad=True)
            y.backward()
            print(r.grad)
            """,
        arange_asked="""
            # raises
            pos = torch.arange(4)  #! pos = torch.arange(4.0)
            pos.requires_grad_()  #! =
            y = torch.sin(pos).sum()
            y.backward()
            """,
        index_lookup="""
            table = torch.randn(5, 2)
            idx = torch.tensor(1.2, requires_grad=True)
            row = table[idx.int()]  #! row = table[1] * idx
            try:
                row.sum().backward()
            except RuntimeError:
                pass
            """,
    ),
    *marked(
        "untracked_parameter",
        part_of_the_list_of_a_module="""
            net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
            opt = torch.optim.Adam(list(net.parameters())[2:], lr=0.1)  #! opt = torch.optim.Adam(net.parameters(), lr=0.1)
            for _ in range(2):
                opt.zero_grad()
                net(torch.ones(2, 3)).sum().backward()
                opt.step()
            """,
        dict_of_layers="""
            class Net(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.first = torch.nn.Linear(2, 2)
                    self.heads = {"a": torch.nn.Linear(2, 1)}  #! self.heads = torch.nn.ModuleDict({"a": torch.nn.Linear(2, 1)})
                def forward(self, x):
                    return self.heads["a"](torch.tanh(self.first(x)))
            net = Net()
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            loss = net(torch.ones(1, 2)).sum()
            opt.zero_grad()
            loss.backward()
            opt.step()
            """,
        plain_tensor_in_a_module="""
            # raises
            class Poly(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.c = torch.randn(3, requires_grad=True)  #! self.c = torch.nn.Parameter(torch.randn(3))
                def forward(self, x):
                    return self.c[0] + self.c[1] * x + self.c[2] * x ** 2
            m = Poly()
            opt = torch.optim.Adam(m.parameters(), lr=0.1)  #! =
            loss = m(torch.ones(2)).sum()
            loss.backward()
            opt.step()
            """,
    ),
    *marked(
        "recording_disabled",
        decorated_method="""
            # raises
            class Enc(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.l = torch.nn.Linear(2, 2)
                @torch.no_grad()  #! 
                def forward(self, x):
                    return torch.sigmoid(self.l(x))
            enc = Enc()
            enc(torch.ones(1, 2)).sum().backward()
            """,
        switched_off_in_evaluation="""
            # raises
            net = torch.nn.Linear(2, 1)
            def evaluate():
                torch.set_grad_enabled(False)  #! pass
                return net(torch.ones(1, 2)).item()
            evaluate()
            loss = net(torch.ones(1, 2)).pow(2).sum()
            loss.backward()
            """,
        block_too_wide="""
            w = torch.tensor([0.5, 0.2], requires_grad=True)
            b = torch.tensor(0.1, requires_grad=True)
            with torch.no_grad():  #! if True:
                scale = w.norm()
                h = w / scale
            loss = (h * 3.0).sum() + b
            loss.backward()
            print(w.grad)
            """,
        sampled_without_rsample="""
            mu = torch.tensor(0.3, requires_grad=True)
            d = torch.distributions.Normal(mu, 1.0)
            z = d.sample()  #! z = d.rsample()
            loss = (z - 2.0) ** 2
            try:
                loss.backward()
            except RuntimeError:
                pass
            """,
        sampled_beside_a_healthy_term="""
            loc, scale = torch.tensor([0.3], requires_grad=True), torch.tensor([1.2], requires_grad=True)
            k = torch.tensor([0.7], requires_grad=True)
            dist = torch.distributions.Normal(loc, scale.abs())
            action = dist.sample()  #! action = dist.rsample()
            q = (action * k).sum()
            q.backward()
            print(loc.grad, scale.grad, k.grad)
            """,
        inference_features="""
            # raises
            enc, head = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
            with torch.inference_mode():  #! if True:
                f = enc(torch.ones(1, 2))
            loss = head(f).sum()
            loss.backward()
            """,
        context_variable="""
            # raises
            train = False  #~ train = True
            w = torch.ones(2, requires_grad=True)
            with torch.set_grad_enabled(train):  #! =
                y = (w ** 2).sum()
            y.backward()
            """,
        checkpointed="""
            from torch.utils.checkpoint import checkpoint
            lin = torch.nn.Linear(2, 2)
            x = torch.ones(1, 2)
            h = checkpoint(lin, x, use_reentrant=True)  #! h = checkpoint(lin, x, use_reentrant=False)
            try:
                h.sum().backward()
            except RuntimeError:
                pass
            """,
    ),
    *marked(
        "no_higher_order_record",
        gradient_penalty="""
            critic = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
            x = torch.randn(3, 2, requires_grad=True)
            (g,) = torch.autograd.grad(critic(x).sum(), x)  #! (g,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
            penalty = ((g.norm(dim=1) - 1) ** 2).mean()
            try:
                penalty.backward()
            except RuntimeError:
                pass
            """,
        second_derivative_by_backward="""
            x = torch.tensor(2.0, requires_grad=True)
            y = x ** 4
            y.backward()  #! y.backward(create_graph=True)
            g = x.grad
            try:
                torch.autograd.grad(g, x)
            except RuntimeError:
                pass
            """,
        penalty_with_a_healthy_loss="""
            net = torch.nn.Linear(2, 1)
            x = torch.ones(2, 2, requires_grad=True)
            out = net(x ** 2)
            (g,) = torch.autograd.grad(out.sum(), x, retain_graph=True)  #! (g,) = torch.autograd.grad(out.sum(), x, create_graph=True)
            loss = out.mean() + g.pow(2).sum()
            loss.backward()
            """,
    ),
    *marked(
        "left_to_numpy",
        numpy_in_a_loss="""
            w = torch.tensor([0.5, 1.0], requires_grad=True)
            import numpy
            h = w * 2
            s = numpy.sin(h.detach().numpy())  #! s = torch.sin(h)
            loss = torch.from_numpy(s).sum() + 0 * w.sum() if False else torch.as_tensor(s).sum()
            try:
                loss.backward()
            except RuntimeError:
                pass
            """,
        accumulated_items="""
            # raises
            net = torch.nn.Linear(2, 1)
            total = 0.0
            for k in range(3):
                total += net(torch.ones(1, 2) * k).pow(2).mean().item()  #! total += net(torch.ones(1, 2) * k).pow(2).mean()
            torch.tensor(total).backward()  #~ total.backward()
            """,
        tolist_and_back="""
            p = torch.tensor([0.2, 0.5], requires_grad=True)
            q = torch.tensor(1.0, requires_grad=True)
            h = torch.exp(p)
            values = h.tolist()  #! values = h
            loss = torch.tensor(values).sum() * q  #~ loss = values.sum() * q
            loss.backward()
            print(p.grad)
            """,
        python_float_in_a_module="""
            import math
            class Ring(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.r = torch.nn.Parameter(torch.tensor(1.5))
                    self.k = torch.nn.Parameter(torch.tensor(0.5))
                def forward(self):
                    area = math.pi * float(self.r) ** 2  #! area = math.pi * self.r ** 2
                    return area * self.k
            m = Ring()
            m().backward()
            print(m.r.grad)
            """,
    ),
    *marked(
        "rebuilt_as_leaf",
        stacked_by_the_constructor="""
            c = torch.tensor(0.5, requires_grad=True)
            s = torch.tensor(2.0, requires_grad=True)
            m = torch.tensor([[torch.cos(c), -torch.sin(c)], [torch.sin(c), torch.cos(c)]])  #! m = torch.stack([torch.stack([torch.cos(c), -torch.sin(c)]), torch.stack([torch.sin(c), torch.cos(c)])])
            y = (m * s).sum()
            y.backward()
            print(c.grad)
            """,
        hypernetwork_parameter="""
            hyper = torch.nn.Linear(1, 2)
            w = torch.nn.Parameter(hyper(torch.ones(1, 1)))  #! w = hyper(torch.ones(1, 1))
            loss = (w * torch.tensor([[1.0, 2.0]])).sum()
            loss.backward()
            print(hyper.weight.grad)
            """,
    ),
    *marked(
        "rebuilt_as_leaf left_to_numpy",
        stored_in_a_list_of_floats="""
            w = torch.tensor(0.5, requires_grad=True)
            v = torch.tensor(0.5, requires_grad=True)
            losses = [(w * k - 1) ** 2 for k in range(3)]
            loss = torch.FloatTensor(losses).mean() * v  #! loss = torch.stack(losses).mean() * v
            loss.backward()
            print(w.grad)
            """,
    ),
    *marked(
        "stop_gradient",
        detached_in_a_module="""
            class Ae(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.e, self.d = torch.nn.Linear(2, 1), torch.nn.Linear(1, 2)
                def forward(self, x):
                    z = torch.tanh(self.e(x)).detach()  #! z = torch.tanh(self.e(x))
                    return self.d(z)
            m = Ae()
            x = torch.ones(2, 2)
            (m(x) - x).pow(2).mean().backward()
            print([p.grad for p in m.parameters()])
            """,
        data_in_a_formula="""
            w = torch.tensor([1.0, 2.0], requires_grad=True)
            v = torch.tensor([1.0, 1.0], requires_grad=True)
            y = (w.data * v).sum()  #! y = (w * v).sum()
            y.backward()
            print(w.grad)
            """,
        teacher_on_the_wrong_side="""
            teacher, student = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
            x = torch.ones(1, 2)
            loss = torch.nn.functional.mse_loss(student(x).detach(), teacher(x))  #! loss = torch.nn.functional.mse_loss(student(x), teacher(x).detach())
            loss.backward()
            print(student.weight.grad)
            """,
        cloned_detached_state="""
            gru = torch.nn.Linear(2, 2)
            h = torch.zeros(1, 2)
            for t in range(3):
                h = torch.tanh(gru(h) + 1.0).clone().detach()  #! h = torch.tanh(gru(h) + 1.0)
            try:
                h.sum().backward()
            except RuntimeError:
                pass
            """,
    ),
    *marked(
        "through_state",
        numbers_that_numpy_writes_into_a_tensor="""
            w, v = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([0.5, 3.0], requires_grad=True)
            h = torch.zeros(2)
            h.numpy()[:] = (w * 3).detach().numpy()  #! h = w * 3
            (h * v).sum().backward()
            slopes = [w.grad, v.grad]
            """,
        data_written="""
            gain = torch.tensor([1.0, 1.0], requires_grad=True)
            buf = torch.zeros(2)
            other = torch.tensor([2.0, 2.0], requires_grad=True)
            buf.data.copy_(gain * 3)  #! buf = gain * 3
            y = (buf * other).sum()
            y.backward()
            print(gain.grad)
            """,
        filled_under_no_grad="""
            w = torch.tensor([0.5], requires_grad=True)
            lin = torch.nn.Linear(1, 1, bias=False)
            with torch.no_grad():
                lin.weight.copy_((w * 2).view(1, 1))  #!
            y = lin(torch.ones(1, 1)).sum()  #~ y = torch.nn.functional.linear(torch.ones(1, 1), (w * 2).view(1, 1)).sum()
            y.backward()
            print(w.grad)
            """,
        data_assigned="""
            p = torch.nn.Parameter(torch.zeros(2))
            a = torch.tensor([0.2, 0.4], requires_grad=True)
            p.data = torch.exp(a)  #! p = torch.exp(a)
            (p * p).sum().backward()
            print(a.grad)
            """,
        running_mean_in_a_buffer="""
            class Norm(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.register_buffer("mean", torch.zeros(2))
                    self.w = torch.nn.Parameter(torch.ones(2))
                    self.v = torch.nn.Parameter(torch.ones(2))
                def forward(self, x):
                    self.mean.data.mul_(0.0).add_((x * self.w).mean(0).data)  #! self.mean = (x * self.w).mean(0)
                    return self.mean * self.v
            n = Norm()
            n(torch.tensor([[1.0, 2.0], [3.0, 5.0]])).sum().backward()
            print(n.w.grad)
            """,
    ),
    *marked(
        "unused_source",
        norm_of_a_block_overwritten_by_the_next_line="""
            class Block(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.norm, self.up, self.down = torch.nn.LayerNorm(4), torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)
                def forward(self, x):
                    h = self.norm(x)
                    h = torch.relu(self.up(x))  #! h = torch.relu(self.up(h))
                    return x + self.down(h)
            net = torch.nn.Sequential(Block(), Block())
            opt = torch.optim.AdamW(net.parameters())
            loss = net(torch.randn(6, 4)).pow(2).mean()
            loss.backward()
            opt.step()
            """,
        head_of_a_dict_that_the_loss_leaves_out="""
            body, head, aux = torch.nn.Linear(4, 6), torch.nn.Linear(6, 2), torch.nn.Linear(6, 2)
            opt = torch.optim.SGD([*body.parameters(), *head.parameters(), *aux.parameters()], lr=0.1)
            h = torch.relu(body(torch.randn(5, 4)))
            out = {"out": head(h), "aux": aux(h)}
            y = torch.randint(0, 2, (5,))
            loss = torch.nn.functional.cross_entropy(out["out"], y)  #! loss = sum(torch.nn.functional.cross_entropy(each, y) for each in out.values())
            loss.backward()
            opt.step()
            """,
        forgotten_head="""
            class Two(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.body, self.pi, self.v = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
                def forward(self, x):
                    h = torch.tanh(self.body(x))
                    return self.pi(h), self.v(h)
            m = Two()
            p, value = m(torch.ones(1, 2))
            loss = -torch.log_softmax(p, -1)[0, 1]  #! loss = -torch.log_softmax(p, -1)[0, 1] + value.pow(2).sum()
            loss.backward()
            print(m.v.weight.grad)
            """,
        branch_not_taken="""
            # raises
            a, b = torch.tensor(1.0, requires_grad=True), torch.tensor(-2.0, requires_grad=True)
            def pick(x, y):
                if x > y:
                    return x * 2  #! return x * 2 + y
                return y * 2
            z = pick(a, b)  #! =
            torch.autograd.grad(z, [a, b])  #! =
            """,
        layer_skipped="""
            m = torch.nn.ModuleDict({"in": torch.nn.Linear(2, 2), "mid": torch.nn.Linear(2, 2), "out": torch.nn.Linear(2, 1)})
            h = m["in"](torch.ones(1, 2))
            z = torch.relu(m["mid"](h))
            y = m["out"](h).sum()  #! y = m["out"](z).sum()
            y.backward()
            print(m["mid"].weight.grad)
            """,
    ),
    *marked(
        "nondifferentiable_op",
        spikes="""
            w = torch.tensor([0.4, 1.2], requires_grad=True)
            spikes = (w > 0.5).float()  #! spikes = torch.sigmoid(w - 0.5)
            try:
                spikes.sum().backward()
            except RuntimeError:
                pass
            """,
        rounding_in_a_module="""
            class Q(torch.nn.Module):
                def forward(self, x):
                    return torch.round(x * 8) / 8  #! return x
            x = torch.tensor([0.3, 0.9], requires_grad=True)
            Q()(x).pow(2).sum().backward()
            print(x.grad)
            """,
        sampled_from_categorical="""
            logits = torch.tensor([0.2, 0.5, 0.1], requires_grad=True)
            values = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
            pick = torch.multinomial(torch.softmax(logits, 0), 1)  #! pick = torch.softmax(logits, 0)
            loss = values[pick].sum()  #~ loss = (values * pick).sum()
            loss.backward()
            print(logits.grad)
            """,
        argmax_embedding="""
            emb = torch.nn.Embedding(3, 2)
            logits = torch.tensor([[0.1, 0.9, 0.3]], requires_grad=True)
            ids = logits.argmax(-1)  #! ids = torch.softmax(logits, -1)
            e = emb(ids).sum()  #~ e = (ids @ emb.weight).sum()
            e.backward()
            print(logits.grad)
            """,
        sign_of_a_result="""
            w = torch.tensor([0.3, -0.2], requires_grad=True)
            y = torch.sign(w * 2).sum() + 1  #! y = torch.tanh(w * 2).sum() + 1
            y.backward()
            print(w.grad)
            """,
        bernoulli_mask="""
            p = torch.tensor([0.3, 0.8], requires_grad=True)
            x = torch.tensor([1.0, 2.0], requires_grad=True)
            mask = torch.bernoulli(p)  #! mask = p
            (mask * x).sum().backward()
            print(p.grad)
            """,
        thresholded_where="""
            t = torch.tensor(0.5, requires_grad=True)
            x = torch.tensor([0.2, 0.8], requires_grad=True)
            y = torch.where(x > t, x, torch.zeros(2)).sum()  #! y = (x * torch.sigmoid(x - t)).sum()
            y.backward()
            print(t.grad)
            """,
        sorted_order="""
            s = torch.tensor([0.5, 0.1, 0.3], requires_grad=True)
            ranks = s.argsort().argsort().float()  #! ranks = s.sort().values
            try:
                (ranks * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
            except RuntimeError:
                pass
            """,
    ),
    *marked(
        "custom_gradient_bug",
        gradient_in_the_place_of_a_number="""
            # raises
            class Scaled(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x, alpha):
                    ctx.alpha = alpha
                    return x.clone()
                @staticmethod
                def backward(ctx, g):
                    return None, -ctx.alpha * g  #! return -ctx.alpha * g, None
            net = torch.nn.Linear(4, 2)
            Scaled.apply(net(torch.ones(3, 4)), 0.5).pow(2).sum().backward()
            """,
        gradient_of_a_bias_over_the_wrong_axis="""
            # raises
            class Biased(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x, b):
                    return x + b
                @staticmethod
                def backward(ctx, g):
                    return g, g.sum(1)  #! return g, g.sum(0)
            b = torch.zeros(3, requires_grad=True)
            Biased.apply(torch.ones(4, 3, requires_grad=True), b).pow(2).sum().backward()
            """,
        too_few="""
            # raises
            class Mul(torch.autograd.Function):
                @staticmethod
                def forward(ctx, a, b):
                    ctx.save_for_backward(a, b)
                    return a * b
                @staticmethod
                def backward(ctx, g):
                    a, b = ctx.saved_tensors
                    return g * b  #! return g * b, g * a
            a, b = torch.tensor(1.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)
            Mul.apply(a, b).backward()
            """,
        none_for_the_second="""
            class Dist(torch.autograd.Function):
                @staticmethod
                def forward(ctx, a, b):
                    ctx.save_for_backward(a - b)
                    return (a - b).pow(2).sum()
                @staticmethod
                def backward(ctx, up):
                    (d,) = ctx.saved_tensors
                    return up * 2 * d, None  #! return up * 2 * d, -up * 2 * d
            a, b = torch.ones(2, requires_grad=True), torch.zeros(2, requires_grad=True)
            Dist.apply(a, b).backward()
            print(a.grad, b.grad)
            """,
        upstream_lost="""
            class Soft(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    y = torch.sigmoid(x)
                    ctx.save_for_backward(y)
                    return y
                @staticmethod
                def backward(ctx, upstream):
                    (y,) = ctx.saved_tensors
                    return y * (1 - y)  #! return upstream * y * (1 - y)
            x = torch.tensor([0.3, 0.7], requires_grad=True)
            (Soft.apply(x) * torch.tensor([2.0, 5.0])).sum().backward()
            print(x.grad)
            """,
    ),
    *marked(
        "graph_consumed",
        two_losses_one_body="""
            # raises
            body, a, b = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)
            h = torch.tanh(body(torch.ones(1, 2)))
            la, lb = a(h).sum(), b(h).sum()
            la.backward()  #! la.backward(retain_graph=True)
            lb.backward()  #! =
            """,
        computed_once_before_the_loop="""
            # raises
            w = torch.ones(2, requires_grad=True)
            scaled = torch.exp(w)  #! pass
            for k in range(2):
                loss = (scaled * k).pow(2).sum()  #~ loss = (torch.exp(w) * k).pow(2).sum()
                loss.backward()
            """,
        kept_state_of_two_parts_on_one_line="""
            # raises
            cell, head = torch.nn.LSTMCell(2, 3), torch.nn.Linear(3, 1)
            optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)
            h, c = torch.ones(4, 3), torch.ones(4, 3)
            for x in torch.ones(3, 4, 2):
                h, c = cell(x, (h, c)); loss = head(h).square().mean()  #! h, c = cell(x, (h.detach(), c.detach())); loss = head(h).square().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            """,
        kept_hidden_state="""
            # raises
            rnn = torch.nn.RNN(1, 2, batch_first=True)
            h = torch.zeros(1, 1, 2)
            for t in range(2):
                out, h = rnn(torch.ones(1, 3, 1), h)  #! out, h = rnn(torch.ones(1, 3, 1), h.detach())
                out.sum().backward()
            """,
    ),
    *marked(
        "inplace_modification",
        sigmoid_overwritten="""
            # raises
            w = torch.tensor([0.3, 0.6], requires_grad=True)
            s = torch.sigmoid(w)
            s += 1.0  #! s = s + 1.0
            s.sum().backward()
            """,
        rectified_in_place_and_doubled="""
            # raises
            w = torch.tensor([0.3, -0.6], requires_grad=True)
            h = (w * 3.0).relu_()
            h.mul_(2.0)  #! h = h * 2.0
            h.sum().backward()
            """,
        residual_added_in_place="""
            # raises
            class Block(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.l = torch.nn.Linear(2, 2)
                def forward(self, x):
                    h = torch.exp(self.l(x))
                    h.mul_(2)  #! h = h * 2
                    return h
            Block()(torch.ones(1, 2)).sum().backward()
            """,
        weight_clamped="""
            # raises
            w = torch.tensor([0.3, 1.6], requires_grad=True)
            w.clamp_(0, 1)  #! w.data.clamp_(0, 1)
            (w * 2).sum().backward()
            """,
        assigned_into_a_row="""
            # raises
            m = torch.ones(2, 2, requires_grad=True)
            y = m * m
            z = y * y
            y[0] = 0.0  #! y = y.clone();;y[0] = 0.0
            (z + y).sum().backward()
            """,
    ),
    *marked(
        "cleared_before_use",
        zeroed_in_a_helper="""
            net = torch.nn.Linear(2, 1)
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            def step(loss):
                loss.backward()
                net.zero_grad()  #! pass
                opt.step()
            step(net(torch.ones(1, 2)).sum())
            """,
        set_to_none_in_a_loop="""
            w = torch.ones(2, requires_grad=True)
            for k in range(2):
                (w * w).sum().backward()
                w.grad = None  #! pass
                print(w.grad)  #~ print(w.grad);;w.grad = None
            """,
    ),
    *marked(
        "accumulated_gradient",
        penalty_sent_back_with_the_loss_it_was_added_to="""
            net = torch.nn.Linear(3, 2)
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for _ in range(2):
                opt.zero_grad()
                ce = torch.nn.functional.cross_entropy(net(torch.randn(4, 3)), torch.tensor([0, 1, 1, 0]))
                penalty = 0.01 * sum(p.pow(2).sum() for p in net.parameters())
                ce.backward(retain_graph=True)
                loss = ce + penalty
                loss.backward()  #! penalty.backward()
                opt.step()
            """,
        generator_that_leaves_gradients_in_the_discriminator="""
            g, d = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
            opt_g, opt_d = (torch.optim.SGD(each.parameters(), lr=0.1) for each in (g, d))
            for _ in range(2):
                fake = g(torch.ones(4, 2))
                loss_d = d(fake.detach()).exp().mean() - d(torch.randn(4, 2)).mean()
                loss_d.backward()  #! opt_d.zero_grad();;loss_d.backward()
                opt_d.step()
                opt_d.zero_grad()  #~
                loss_g = -d(fake).tanh().mean()
                loss_g.backward()
                opt_g.step()
                opt_g.zero_grad()
            """,
        running_sum_sent_back_at_every_step="""
            w = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
            opt = torch.optim.SGD([w], lr=0.1)
            total = 0.0
            for x in torch.randn(3, 2):
                total = total + (w * x).sum().square()
                total.backward(retain_graph=True)  #!
            opt.step()  #~ total.backward();;opt.step()
            """,
        manual_loop="""
            w = torch.tensor([1.0], requires_grad=True)
            for k in range(3):
                loss = ((w - 3) ** 2).sum()
                loss.backward()  #! w.grad = None;;loss.backward()
                with torch.no_grad():
                    w -= 0.1 * w.grad
            """,
        in_a_trainer="""
            class Trainer:
                def __init__(self):
                    self.net = torch.nn.Linear(1, 1)
                    self.opt = torch.optim.Adam(self.net.parameters(), lr=0.01)
                def step(self, x, y):
                    loss = (self.net(x) - y).pow(2).mean()
                    loss.backward()  #! self.opt.zero_grad();;loss.backward()
                    self.opt.step()
            t = Trainer()
            for _ in range(3):
                t.step(torch.ones(2, 1), torch.zeros(2, 1))
            """,
    ),
    *marked(
        "api_misuse",
        per_sample_loss="""
            # raises
            net = torch.nn.Linear(2, 1)
            loss = torch.nn.functional.mse_loss(net(torch.ones(3, 2)), torch.zeros(3, 1), reduction="none")  #! loss = torch.nn.functional.mse_loss(net(torch.ones(3, 2)), torch.zeros(3, 1))
            loss.backward()  #! =
            """,
    ),
    *marked(
        "api_misuse",
        result_told_to_require_a_gradient="""
            # raises
            t = torch.linspace(0.0, 1.0, 3).requires_grad_()
            x = torch.exp(-t)
            x.requires_grad = True  #!
            x.sum().backward()
            """,
        result_told_to_require_none="""
            # raises
            w = torch.nn.Parameter(torch.ones(2))
            h = w * 2.0
            h.requires_grad_(False)  #! h = h.detach()
            (h.sum() + w.sum()).backward()
            """,
    ),
    *marked(
        "swapped_arguments",
        grad_of_the_input="""
            # raises
            x = torch.ones(2, requires_grad=True)
            y = (x ** 2).sum()
            torch.autograd.grad(x, y, grad_outputs=torch.ones(2))  #! torch.autograd.grad(y, x)
            """,
    ),
    *marked(
        "broadcast_mismatch",
        regression_targets="""
            net = torch.nn.Linear(2, 1)
            x, y = torch.randn(5, 2), torch.randn(5)
            loss = ((net(x) - y) ** 2).mean()  #! loss = ((net(x).squeeze(1) - y) ** 2).mean()
            loss.backward()
            """,
        targets_that_were_flattened="""
            net = torch.nn.Linear(2, 1)
            x, y = torch.randn(5, 2), torch.randn(5, 1)
            loss = ((net(x) - y.view(-1)) ** 2).mean()  #! loss = ((net(x).view(-1) - y.view(-1)) ** 2).mean()
            loss.backward()
            """,
        mse_loss_function="""
            net = torch.nn.Linear(2, 1)
            x, y = torch.randn(5, 2), torch.randn(5)
            loss = torch.nn.MSELoss()(net(x), y)  #! loss = torch.nn.MSELoss()(net(x).squeeze(1), y)
            loss.backward()
            """,
        advantage_times_log_prob="""
            logp = torch.randn(4, 1, requires_grad=True)
            adv = torch.randn(4)
            loss = -(logp * adv).mean()  #! loss = -(logp[:, 0] * adv).mean()
            loss.backward()
            """,
    ),
    *marked(
        "missing_stop_gradient",
        advantage_that_the_critic_learns_by_too="""
            pi, v = torch.nn.Linear(4, 2), torch.nn.Linear(4, 1)
            s, a, returns = torch.randn(5, 4), torch.tensor([0, 1, 1, 0, 1]), torch.randn(5)
            advantage = returns - v(s).squeeze(1)  #!
            log_prob = torch.log_softmax(pi(s), -1).gather(1, a[:, None]).squeeze(1)
            loss = -(log_prob * advantage).mean() + 0.5 * advantage.pow(2).mean()  #~ advantage = returns - v(s).squeeze(1);;loss = -(log_prob * advantage.detach()).mean() + 0.5 * advantage.pow(2).mean()
            loss.backward()
            """,
        bootstrapped_value="""
            v = torch.nn.Linear(2, 1)
            s, s2, r = torch.ones(3, 2), torch.rand(3, 2), torch.ones(3, 1)
            target = r + 0.9 * v(s2)  #! target = r + 0.9 * v(s2).detach()
            loss = (target - v(s)).pow(2).mean()
            loss.backward()
            """,
        advantage_of_a_critic="""
            actor, critic = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
            s, ret = torch.ones(3, 2), torch.tensor([[1.0], [2.0], [0.5]])
            logp = torch.log_softmax(actor(s), -1)[:, :1]
            adv = ret - critic(s)  #! adv = (ret - critic(s)).detach()
            loss = -(logp * adv).mean() + (ret - critic(s)).pow(2).mean()
            loss.backward()
            """,
        advantage_times_a_cross_entropy="""
            actor, critic = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
            s, ret = torch.ones(3, 2), torch.tensor([1.0, 2.0, 0.5])
            adv = ret - critic(s)[:, 0]  #! adv = (ret - critic(s)[:, 0]).detach()
            nll = torch.nn.functional.cross_entropy(actor(s), torch.tensor([0, 1, 1]), reduction="none")
            loss = (nll * adv).mean() + (ret - critic(s)[:, 0]).pow(2).mean()
            loss.backward()
            """,
    ),
    *marked(
        "python_closure",
        regularisers="""
            ws = [torch.tensor(float(k), requires_grad=True) for k in (1, 2, 3)]
            terms = [lambda: w ** 2 for w in ws]  #! terms = [lambda w=w: w ** 2 for w in ws]
            loss = sum(term() for term in terms)
            loss.backward()
            print([w.grad for w in ws])
            """,
        losses_of_weights_and_data="""
            ws = [torch.tensor(float(k), requires_grad=True) for k in (1, 2, 3)]
            losses = []
            for w, d in zip(ws, torch.rand(3, 4)):
                losses.append(lambda: ((w * d - 1) ** 2).mean())  #! losses.append(lambda w=w, d=d: ((w * d - 1) ** 2).mean())
            sum(loss() for loss in losses).backward()
            print([w.grad for w in ws])
            """,
    ),
    *marked(
        "domain_edge",
        logarithm_of_exponentials_that_are_all_zero="""
            mean = torch.tensor([0.0, 1.0], requires_grad=True)
            x = torch.tensor([0.1, 90.0])
            log_density = -0.5 * (x[:, None] - mean) ** 2
            loss = -torch.log(torch.exp(log_density).sum(1)).mean()  #! loss = -torch.logsumexp(log_density, 1).mean()
            loss.backward()
            """,
        cdist_of_equal_rows="""
            x = torch.tensor([[0.0, 1.0], [0.0, 1.0]], requires_grad=True)
            d = torch.sqrt(((x[0] - x[1]) ** 2).sum())  #! d = torch.sqrt(((x[0] - x[1]) ** 2).sum() + 1e-9)
            d.backward()
            print(x.grad)
            """,
        std_of_equal_entries="""
            w = torch.full((4,), 0.5, requires_grad=True)
            s = (w * 2).var().sqrt()  #! s = ((w * 2).var() + 1e-9).sqrt()
            s.backward()
            print(w.grad)
            """,
        log_of_zero_probability="""
            class Nll(torch.nn.Module):
                def forward(self, p, y):
                    return -torch.log(p).gather(1, y).mean()  #! return -torch.log(p + 1e-7).gather(1, y).mean()
            p = torch.tensor([[1.0, 0.0]], requires_grad=True)
            Nll()(p, torch.tensor([[1]])).backward()
            print(p.grad)
            """,
        arccos_of_a_unit_vector="""
            v = torch.tensor([1.0, 0.0], requires_grad=True)
            angle = torch.acos(v @ torch.tensor([1.0, 0.0]))  #! angle = torch.acos(0.99 * v @ torch.tensor([1.0, 0.0]))
            angle.backward()
            print(v.grad)
            """,
        fractional_power="""
            x = torch.tensor([0.0, 2.0], requires_grad=True)
            y = (x ** 0.5).sum()  #! y = ((x + 1e-6) ** 0.5).sum()
            y.backward()
            print(x.grad)
            """,
    ),
    *marked(
        "where_trap",
        masked_root="""
            x = torch.tensor([-1.0, 4.0], requires_grad=True)
            y = torch.where(x > 0, torch.sqrt(x), torch.zeros_like(x))  #! y = torch.where(x > 0, torch.sqrt(torch.where(x > 0, x, torch.ones_like(x))), torch.zeros_like(x))
            y.sum().backward()
            print(x.grad)
            """,
        selected_by_a_mask="""
            x = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
            r = torch.log(x)  #! r = torch.log(x + (x == 0))
            y = r.masked_fill(x == 0, 0.0).sum()
            y.backward()
            print(x.grad)
            """,
        exploding_other_branch="""
            z = torch.tensor([1.0, 200.0], requires_grad=True)
            e = torch.exp(z)  #! e = torch.exp(z.clamp(max=20.0))
            y = torch.where(z > 20, z, torch.log(1 + e))
            y.sum().backward()
            print(z.grad)
            """,
    ),
    *marked(
        "nan_in_forward",
        all_words_of_a_row_banned="""
            head = torch.nn.Linear(4, 3)
            logits = head(torch.randn(2, 4)).index_fill(1, torch.tensor([0, 1, 2]), float("-inf"))  #~ logits = head(torch.randn(2, 4)).index_fill(1, torch.tensor([0, 1, 2]), -1e9)
            log_prob = logits - torch.logsumexp(logits, dim=1, keepdim=True)  #! =
            loss = -log_prob[:, 2].mean()
            loss.backward()
            """,
        mean_square_beyond_float16_divides="""
            gain = torch.ones(8, requires_grad=True)
            h = torch.full((2, 8), 400.0).half()
            square = h * h  #! square = h.float() * h.float()
            scaled = h / (square.mean(-1, keepdim=True) + 1e-3).sqrt()
            loss = (scaled * gain - 1.5).float().square().sum()
            loss.backward()
            """,
        zero_over_zero="""
            a = torch.tensor([0.0, 1.0], requires_grad=True)
            y = (a / a.clone()).sum()  #! y = ((a + 1e-6) / (a.clone() + 1e-6)).sum()
            y.backward()
            print(a.grad)
            """,
        masked_attention="""
            q = torch.randn(1, 2, requires_grad=True)
            s = (q @ torch.randn(2, 3)).masked_fill(torch.ones(1, 3, dtype=torch.bool), float("-inf"))  #~ s = (q @ torch.randn(2, 3)).masked_fill(torch.tensor([[True, False, False]]), float("-inf"))
            p = torch.softmax(s, -1)  #! =
            (p * torch.tensor([[1.0, 2.0, 3.0]])).sum().backward()
            print(q.grad)
            """,
        std_of_one_sample="""
            net = torch.nn.Linear(2, 3)
            h = net(torch.ones(1, 2))
            z = (h - h.mean(0)) / h.std(0)  #! z = h - h.mean(0) + h
            z.sum().backward()
            print(net.weight.grad)
            """,
        overflow_by_hand="""
            x = torch.tensor([90.0, 100.0], requires_grad=True)
            p = torch.exp(x)  #! p = torch.softmax(x, 0)
            q = (p / p.sum() * torch.tensor([1.0, 2.0])).sum()
            q.backward()
            print(x.grad)
            """,
    ),
    *marked(
        "dead_activation",
        put_out_by_a_large_step="""
            net = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
            opt = torch.optim.SGD(net.parameters(), lr=20.0)  #~ opt = torch.optim.SGD(net.parameters(), lr=1e-4)
            x = torch.rand(16, 2) * 5
            for _ in range(3):
                loss = (net(x) - 3 * x.sum(1, keepdim=True) + 100).pow(2).mean()  #! =
                opt.zero_grad()
                loss.backward()
                opt.step()
            """,
        biased_out="""
            lin = torch.nn.Linear(2, 3)
            torch.nn.init.constant_(lin.bias, -50.0)  #~ pass
            h = torch.relu(lin(torch.ones(4, 2)))  #! h = torch.tanh(lin(torch.ones(4, 2)))
            ((h - 1) ** 2).mean().backward()
            print(lin.weight.grad)
            """,
        relu_module_on_the_output="""
            net = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.ReLU())  #~ net = torch.nn.Sequential(torch.nn.Linear(2, 1))
            with torch.no_grad():
                net[0].weight.fill_(-1.0)
                net[0].bias.zero_()
            out = net(torch.ones(2, 2))  #! =
            (out - 1).pow(2).sum().backward()
            print(net[0].weight.grad)
            """,
    ),
    *marked(
        "saturation",
        clamped_actions="""
            a = torch.tensor([3.0, -4.0], requires_grad=True)
            y = (a.clamp(-1, 1) ** 2).sum()  #! y = (torch.tanh(a) ** 2).sum()
            y.backward()
            print(a.grad)
            """,
        sigmoid_module="""
            net = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.Sigmoid())
            with torch.no_grad():
                net[0].weight.fill_(500.0)  #~ net[0].weight.fill_(0.5)
            p = net(torch.ones(2, 1))  #! =
            torch.nn.functional.mse_loss(p, torch.zeros(2, 1)).backward()
            print(net[0].weight.grad)
            """,
        hardtanh="""
            x = torch.tensor([2.0, 5.0], requires_grad=True)
            y = torch.nn.functional.hardtanh(x).sum()  #! y = torch.tanh(x).sum()
            y.backward()
            print(x.grad)
            """,
        hard_gate="""
            gate = torch.tensor([4.0, -5.0], requires_grad=True)
            opened = torch.nn.functional.hardsigmoid(gate)  #! opened = torch.sigmoid(gate)
            opened.sum().backward()
            print(gate.grad)
            """,
    ),
    *marked(
        "constant_by_construction",
        scores_of_places_shared_out_over_their_last_axis="""
            score, x = torch.nn.Linear(3, 1), torch.randn(2, 4, 3)
            w = torch.softmax(score(x), dim=-1)  #! w = torch.softmax(score(x), dim=1)
            (w * x).sum(1).square().sum().backward()
            """,
        one_class="""
            net = torch.nn.Linear(2, 1)
            p = torch.softmax(net(torch.ones(3, 2)), dim=1)  #! p = torch.sigmoid(net(torch.ones(3, 2)))
            torch.nn.functional.binary_cross_entropy(p, torch.full((3, 1), 0.5)).backward()
            print(net.weight.grad)
            """,
        one_class_log="""
            net = torch.nn.Linear(2, 1)
            loss = torch.nn.functional.cross_entropy(net(torch.ones(3, 2)), torch.zeros(3, dtype=torch.long))  #! loss = net(torch.ones(3, 2)).pow(2).mean()
            loss.backward()
            print(net.weight.grad)
            """,
        own_sample="""
            mu = torch.tensor(0.3, requires_grad=True)
            d = torch.distributions.Normal(mu, 1.0)
            z = d.rsample()
            loss = -d.log_prob(z)  #! loss = -d.log_prob(z.detach())
            loss.backward()
            print(mu.grad)
            """,
        line_twice="""
            # raises
            x = torch.tensor(1.0, requires_grad=True)
            y = 4 * x + 1  #! y = 4 * x ** 2 + 1
            (d,) = torch.autograd.grad(y, x, create_graph=True)
            torch.autograd.grad(d, x)
            """,
    ),
    *marked(
        "zero_factor",
        zero_gain="""
            lin = torch.nn.Linear(2, 2)
            gamma = torch.nn.Parameter(torch.zeros(1))  #~ gamma = torch.nn.Parameter(torch.ones(1))
            x = torch.ones(1, 2)
            y = x + gamma * lin(x)  #! =
            y.pow(2).sum().backward()
            print(lin.weight.grad)
            """,
        mask_of_zeros="""
            w = torch.ones(3, requires_grad=True)
            mask = torch.zeros(3)  #~ mask = torch.ones(3)
            loss = (w ** 2 * mask).sum()  #! =
            loss.backward()
            print(w.grad)
            """,
    ),
    *marked(
        "vanishing_depth",
        sigmoid_layers="""
            net = torch.nn.ModuleList(torch.nn.Linear(3, 3) for _ in range(14))
            h = torch.ones(1, 3)
            for layer in net:
                h = torch.sigmoid(layer(h))  #! h = h + 0.1 * torch.tanh(layer(h))
            h.sum().backward()
            """,
        sigmoid_layers_in_two_rounds="""
            layers = [torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Sigmoid()) for _ in range(14)]  #~ layers = [torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ELU()) for _ in range(14)]
            net = torch.nn.Sequential(*layers)
            for _ in range(2):
                loss = net(torch.ones(1, 3)).sum()  #! =
                net.zero_grad()
                loss.backward()
            """,
    ),
    *marked(
        "exploding_depth",
        large_recurrence="""
            w = torch.tensor([[4.0, 1.0], [1.0, 3.0]], requires_grad=True)
            x = torch.ones(1, 2, requires_grad=True)
            h = x
            for _ in range(25):
                h = h @ w  #! h = torch.tanh(h @ w)
            h.sum().backward()
            """,
    ),
    *marked(
        "precision_underflow",
        residual_too_small_before_it_is_squared="""
            w = torch.full((3,), 1e-3).half().requires_grad_()  #~ w = torch.full((3,), 1e-3).requires_grad_()
            x = torch.full((4, 3), 0.01).half()  #~ x = torch.full((4, 3), 0.01)
            residual = (x @ w) * 1e-5  #!
            loss = residual.square().mean()  #~ residual = (x @ w) * 1e-5;;loss = residual.square().mean()
            loss.backward()
            """,
        half_model="""
            w = torch.tensor([0.5, 0.2], dtype=torch.float16, requires_grad=True)
            y = (w * 1e-4).sum()  #! y = (w * 1e-1).sum()
            loss = y * 1e-4  #! loss = y.float() * 1e-1
            loss.backward()
            print(w.grad)
            """,
        cast_in_the_middle="""
            w = torch.tensor([0.5, 0.2], requires_grad=True)
            h = w.half()  #! h = w
            loss = (h * 2).mean().float() * 1e-8  #! =
            loss.backward()
            print(w.grad)
            """,
    ),
    *marked(
        "recording_disabled",
        reward_model_no_grad="""
            policy, reward = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
            def score(y):
                with torch.no_grad():  #! if True:
                    return reward(y)
            loss = -score(torch.tanh(policy(torch.ones(3, 2)))).mean()
            try:
                loss.backward()
            except RuntimeError:
                pass
            print([p.grad for p in policy.parameters()])
            """,
        generator_under_inference="""
            # raises
            @torch.inference_mode()  #! 
            def features(net, x):
                return net(x)
            net, head = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
            y = head(features(net, torch.ones(1, 2)))
            y.sum().backward()
            """,
        grad_mode_restored_never="""
            # raises
            w = torch.ones(2, requires_grad=True)
            class Evaluator:
                def __enter__(self):
                    torch.set_grad_enabled(False)  #! pass
                def __exit__(self, *a):
                    return False
            with Evaluator():
                before = (w * 2).sum().item()
            loss = (w ** 2).sum()
            loss.backward()
            """,
        dist_sample_in_module="""
            class Policy(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.mu = torch.nn.Linear(2, 1)
                    self.log_std = torch.nn.Parameter(torch.zeros(1))
                def forward(self, s):
                    d = torch.distributions.Normal(self.mu(s), self.log_std.exp())
                    return d.sample()  #! return d.rsample()
            p, q = Policy(), torch.nn.Linear(1, 1)
            loss = -q(p(torch.ones(4, 2))).mean()
            loss.backward()
            print(p.log_std.grad)
            """,
        checkpointed_block="""
            import torch.utils.checkpoint as cp
            class Block(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.a, self.b = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
                def forward(self, x):
                    h = cp.checkpoint(self.a, x, use_reentrant=True)  #! h = cp.checkpoint(self.a, x, use_reentrant=False)
                    return self.b(h)
            m = Block()
            m(torch.ones(3, 2)).sum().backward()
            print(m.a.weight.grad)
            """,
    ),
    *marked(
        "nondifferentiable_op",
        hard_attention="""
            q = torch.randn(3, requires_grad=True)
            mem = torch.randn(3, 2, requires_grad=True)
            i = torch.argmax(mem @ torch.ones(2) * q)  #! i = torch.softmax(mem @ torch.ones(2) * q, 0)
            mem[i].sum().backward()  #~ (i @ mem).sum().backward()
            print(q.grad)
            """,
        one_hot_prediction="""
            net = torch.nn.Linear(2, 3)
            pred = net(torch.ones(4, 2)).argmax(1)  #! pred = net(torch.ones(4, 2)).softmax(1)
            onehot = torch.nn.functional.one_hot(pred, 3).float()  #~ onehot = pred
            loss = ((onehot - torch.eye(4)[:, :3]) ** 2).mean()
            try:
                loss.backward()
            except RuntimeError:
                pass
            """,
        dice_after_threshold="""
            mask_logits = torch.randn(5, requires_grad=True)
            truth = torch.tensor([1.0, 0.0, 1.0, 1.0, 0.0])
            def dice(a, b):
                return 1 - 2 * (a * b).sum() / (a.sum() + b.sum() + 1e-6)
            hard = (torch.sigmoid(mask_logits) > 0.5).float()  #! hard = torch.sigmoid(mask_logits)
            loss = dice(hard, truth)
            try:
                loss.backward()
            except RuntimeError:
                pass
            """,
        ceil_on_the_way="""
            s = torch.tensor([1.2, 3.4], requires_grad=True)
            y = torch.ceil(s).mul(2).sum()  #! y = s.mul(2).sum()
            y.backward()
            print(s.grad)
            """,
        floor_division="""
            s = torch.tensor([5.2, 3.4], requires_grad=True)
            y = (s // 2).sum() * 3  #! y = (s / 2).sum() * 3
            try:
                y.backward()
            except RuntimeError:
                pass
            print(s.grad)
            """,
        histc_counts="""
            x = torch.rand(10, requires_grad=True)
            h = torch.histc(x, bins=4, min=0, max=1)  #! h = torch.stack([torch.sigmoid(50 * (x - k / 4)).sum() for k in range(4)])
            try:
                (h * torch.arange(4.0)).sum().backward()
            except (RuntimeError, NotImplementedError):
                pass
            """,
        gumbel_hard="""
            logits = torch.randn(1, 3, requires_grad=True)
            y = torch.distributions.OneHotCategorical(logits=logits).sample()  #! y = torch.nn.functional.gumbel_softmax(logits, hard=True)
            v = torch.randn(3, requires_grad=True)
            (y @ v).sum().backward()
            print(logits.grad)
            """,
    ),
    *marked(
        "left_to_numpy",
        numpy_interp="""
            import numpy as np
            x = torch.tensor([0.3, 0.7], requires_grad=True)
            k = torch.tensor(2.0, requires_grad=True)
            y = torch.tensor(np.interp((x * 2).detach().numpy(), [0, 1, 2], [0, 1, 4]), dtype=torch.float32)  #! y = (x * 2) ** 2
            (y * k).sum().backward()
            print(x.grad)
            """,
        loss_item_summed="""
            net = torch.nn.Linear(1, 1)
            losses = []
            for k in range(3):
                losses.append(net(torch.ones(1) * k).pow(2).item())  #! losses.append(net(torch.ones(1) * k).pow(2))
            total = torch.tensor(losses, requires_grad=True).mean()  #~ total = torch.stack(losses).mean()
            total.backward()
            print(net.weight.grad)
            """,
        format_and_parse="""
            w = torch.tensor(1.5, requires_grad=True)
            c = torch.tensor(0.5, requires_grad=True)
            v = float(w ** 2)  #! v = w ** 2
            out = c * v + c
            out.backward()
            print(w.grad)
            """,
    ),
    *marked(
        "rebuilt_as_leaf",
        new_tensor_call="""
            w = torch.tensor([1.0, 2.0], requires_grad=True)
            s = torch.tensor(3.0, requires_grad=True)
            y = torch.tensor((w * 2).sum(), requires_grad=True) * s  #! y = (w * 2).sum() * s
            y.backward()
            print(w.grad)
            """,
        parameter_list_from_generated="""
            gen = torch.nn.Linear(1, 2)
            class Target(torch.nn.Module):
                def __init__(self, w):
                    super().__init__()
                    self.w = torch.nn.Parameter(w)  #! self.w = w
                def forward(self, x):
                    return x @ self.w
            t = Target(gen(torch.ones(1))).forward(torch.ones(2))
            t.backward()
            print(gen.weight.grad)
            """,
    ),
    *marked(
        "inplace_modification",
        hidden_state_slot="""
            # raises
            w = torch.randn(2, 2, requires_grad=True)
            states = torch.zeros(3, 2)
            for k in range(1, 3):
                states[k] = torch.tanh(states[k - 1] @ w + 1)  #! states = torch.cat([states[:k], torch.tanh(states[k - 1:k] @ w + 1), states[k + 1:]])
            states.pow(2).sum().backward()
            """,
        optimizer_between="""
            # raises
            net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            out = net(torch.ones(1, 2))
            out.sum().backward(retain_graph=True)
            opt.step()  #! pass
            out.pow(2).sum().backward()
            """,
        dropout_in_place="""
            # raises
            x = torch.ones(4, requires_grad=True)
            h = torch.sqrt(x)
            torch.nn.functional.relu_(h)  #! h = torch.relu(h)
            h.add_(1.0)  #! h = h + 1.0
            h.sum().backward()
            """,
    ),
    *marked(
        "domain_edge",
        angle_between="""
            a = torch.tensor([1.0, 0.0], requires_grad=True)
            cos = torch.nn.functional.cosine_similarity(a, torch.tensor([2.0, 0.0]), dim=0)
            angle = torch.arccos(cos)  #! angle = torch.arccos(cos * 0.999)
            angle.backward()
            print(a.grad)
            """,
        sqrt_of_mse="""
            net = torch.nn.Linear(1, 1, bias=False)
            x = torch.ones(3, 1)
            with torch.no_grad():
                y = net(x)
            rmse = torch.sqrt(((net(x) - y) ** 2).mean())  #! rmse = torch.sqrt(((net(x) - y) ** 2).mean() + 1e-8)
            rmse.backward()
            print(net.weight.grad)
            """,
        log_prob_zero="""
            p = torch.tensor([0.0, 1.0], requires_grad=True)
            ent = -(p * p.log()).sum()  #! ent = -torch.xlogy(p, p + 1e-8).sum()
            ent.backward()
            print(p.grad)
            """,
    ),
    *marked(
        "integer_dtype",
        long_labels_asked="""
            y = torch.tensor([1, 0])  #! y = torch.tensor([1.0, 0.0])
            w = torch.randn(2, requires_grad=True)
            loss = ((w - y) ** 2).sum()
            loss.backward()
            print(y.grad)  #~ print(w.grad)
            """,
        index_by_learned_position="""
            pos = torch.tensor(1.3, requires_grad=True)
            table = torch.randn(4, requires_grad=True)
            v = table[pos.round().long()]  #! v = table[1] + (pos - 1) * (table[2] - table[1])
            v.backward()
            print(pos.grad)
            """,
    ),
    *marked(
        "unused_source not_watched",
        detached_critic="""
            a, b = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
            x = torch.ones(1, 2)
            hidden = a(x)
            y = b(x).sum()  #! y = b(hidden).sum()
            y.backward()
            print(a.weight.grad)
            """,
    ),
    *marked(
        "vanishing_depth",
        rnn_over_time="""
            cell = torch.nn.RNNCell(2, 2)
            with torch.no_grad():
                for p in cell.parameters():
                    p.mul_(0.15)  #~ p.mul_(1.0)
            x = [torch.ones(1, 2) * 0.1 for _ in range(20)]
            first = torch.ones(1, 2, requires_grad=True)
            h = first
            for t in x:
                h = cell(t, h)  #! h = h + 0.01 * cell(t, h)
            h.sum().backward()
            print(first.grad)
            """,
    ),
    *marked(
        "cleared_before_use",
        zero_grad_after_backward="""
            w = torch.nn.Parameter(torch.ones(2))
            opt = torch.optim.Adam([w], lr=0.1)
            for _ in range(2):
                loss = (w ** 2).sum()
                loss.backward()
                opt.zero_grad()  #! pass
                opt.step()  #~ opt.step();;opt.zero_grad()
            """,
    ),
    *marked(
        "custom_gradient_bug",
        returns_none="""
            class Scale(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x, k):
                    ctx.k = k
                    return x * k
                @staticmethod
                def backward(ctx, g):
                    g * ctx.k
                    return None, None  #! return g * ctx.k, None
            class M(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.w = torch.nn.Parameter(torch.ones(2))
                def forward(self):
                    return Scale.apply(self.w, 3.0).sum()
            m = M()
            m().backward()
            print(m.w.grad)
            """,
    ),
    *marked(
        "stop_gradient",
        encoder_in_the_list_behind_data="""
            def normalised(z):
                return ((z - z.mean(0)) / (z.std(0) + 1e-5)).data  #! return (z - z.mean(0)) / (z.std(0) + 1e-5)
            encoder, decoder = torch.nn.Linear(4, 2), torch.nn.Linear(2, 4)
            opt = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()])
            for _ in range(2):
                x = torch.randn(8, 4)
                loss = (decoder(normalised(encoder(x))) - x).square().mean()
                opt.zero_grad()
                loss.backward()
                opt.step()
            """,
    ),
    *marked(
        "recording_disabled",
        encoder_in_the_list_in_a_helper_without_gradients="""
            @torch.no_grad()  #! pass
            def embedded(model, x):
                return torch.cat([model(part) for part in x.split(4)])
            encoder, head = torch.nn.Linear(4, 2), torch.nn.Linear(2, 1)
            opt = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
            loss = head(embedded(encoder, torch.randn(8, 4))).square().mean()
            loss.backward()
            opt.step()
            """,
    ),
    *marked(
        "left_to_numpy",
        scale_in_the_list_read_out_in_a_loop="""
            body, scale = torch.nn.Linear(4, 4), torch.nn.Linear(4, 1)
            opt = torch.optim.SGD([*body.parameters(), *scale.parameters()], lr=0.1)
            x, total = torch.randn(3, 4), 0.0
            for row in x:
                total += torch.nn.functional.softplus(scale(row)).item()  #! total += torch.nn.functional.softplus(scale(row))
            loss = (body(x) / total).square().mean()
            loss.backward()
            opt.step()
            """,
    ),
]
