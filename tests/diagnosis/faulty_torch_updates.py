"""PyTorch programs whose fault lies between gradients and weights: what is added up, clipped, stepped, copied."""
# ruff: noqa: E501  (a repaired line stands beside the faulty one)

from __future__ import annotations

from tests.diagnosis.programs import marked

UPDATES = [
    *marked(
        "clipped_by_another_norm",
        the_body_alone_is_clipped="""
            body, head = torch.nn.Linear(2, 4), torch.nn.Linear(4, 1)
            optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
            for _ in range(2):
                optimizer.zero_grad()
                head(torch.tanh(body(torch.ones(3, 2)))).square().mean().backward()
                torch.nn.utils.clip_grad_norm_(body.parameters(), 0.1)  #! torch.nn.utils.clip_grad_norm_([*body.parameters(), *head.parameters()], 0.1)
                optimizer.step()
            """,
        the_other_player_is_clipped="""
            player, critic = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
            optimizer = torch.optim.Adam(player.parameters(), lr=0.1)
            for _ in range(2):
                player.zero_grad()
                (-critic(player(torch.ones(3, 2))).mean()).backward()
                total = torch.stack([p.grad.norm() for p in critic.parameters()]).norm()  #~ total = torch.stack([p.grad.norm() for p in player.parameters()]).norm()
                for p in critic.parameters():  #~ for p in player.parameters():
                    p.grad.mul_(0.5 / (total + 1e-6))  #! =
                optimizer.step()
                critic.zero_grad()
            """,
        clipped_ahead_of_the_pass="""
            net = torch.nn.Linear(2, 1)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for _ in range(2):
                optimizer.zero_grad()
                torch.nn.utils.clip_grad_norm_(net.parameters(), 0.1)  #!
                net(torch.ones(3, 2)).square().mean().backward()
                pass  #~ torch.nn.utils.clip_grad_norm_(net.parameters(), 0.1)
                optimizer.step()
            """,
        clipped_behind_the_step="""
            net = torch.nn.Linear(2, 1)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for _ in range(2):
                net(torch.ones(3, 2)).square().mean().backward()
                pass  #~ torch.nn.utils.clip_grad_norm_(net.parameters(), 0.1)
                optimizer.step()
                torch.nn.utils.clip_grad_norm_(net.parameters(), 0.1)  #!
                optimizer.zero_grad()
            """,
    ),
    *marked(
        "scaled_gradient_used",
        means_of_micro_batches_that_nobody_divides="""
            net = torch.nn.Linear(2, 1)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for _ in range(2):
                optimizer.zero_grad()
                for part in torch.randn(8, 2).split(2):
                    loss = net(part).square().mean()  #~ loss = net(part).square().mean() / 4
                    loss.backward()  #! =
                optimizer.step()
            """,
        micro_batches_of_unequal_size="""
            net, labels = torch.nn.Linear(2, 3), torch.tensor([0, 1, 2, 0, 1, 2, 0, 1])
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            parts = [5, 3]  #~ parts = [4, 4]
            for part, label in zip(torch.randn(8, 2).split(parts), labels.split(parts)):
                loss = torch.nn.functional.cross_entropy(net(part), label) / 2
                loss.backward()  #! =
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1e-3)
            optimizer.step()
            """,
        steps_past_the_scaler="""
            net, scaler = torch.nn.Linear(2, 1), torch.amp.GradScaler("cpu", init_scale=1024.0)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for _ in range(2):
                optimizer.zero_grad()
                scaler.scale(net(torch.ones(3, 2)).square().mean()).backward()
                optimizer.step()  #! scaler.step(optimizer);;scaler.update()
            """,
        loss_that_is_divided_by_the_loop_and_by_the_call="""
            net = torch.nn.Linear(2, 1)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            def backward(loss):
                (loss / 4).backward()  #! =
            for part in torch.randn(8, 2).split(2):
                loss = net(part).square().mean() / 4  #~ loss = net(part).square().mean()
                backward(loss)
            optimizer.step()
            """,
    ),
    *marked(
        "update_lost",
        steps_below_the_spacing_of_bfloat16="""
            net = torch.nn.Linear(8, 4).to(torch.bfloat16)  #~ net = torch.nn.Linear(8, 4)
            optimizer = torch.optim.AdamW(net.parameters(), lr=1e-6)
            for _ in range(2):
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    loss = net(torch.ones(3, 8).to(net.weight.dtype)).float().square().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()  #! =
            """,
        schedule_in_whole_numbers="""
            net = torch.nn.Linear(2, 1)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: (step + 1) // 100)  #~ schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: (step + 1) / 100)
            for _ in range(3):
                optimizer.zero_grad()
                net(torch.ones(3, 2)).square().mean().backward()
                optimizer.step()  #! =
                schedule.step()
            """,
        weights_of_many_bits_that_nobody_copies_back="""
            net = torch.nn.Linear(2, 1).to(torch.bfloat16)
            wide = [p.detach().float().requires_grad_() for p in net.parameters()]
            optimizer = torch.optim.SGD(wide, lr=0.1)
            for _ in range(2):
                net.zero_grad()
                net(torch.ones(3, 2, dtype=torch.bfloat16)).square().mean().backward()
                for w, p in zip(wide, net.parameters()):
                    w.grad = p.grad.float()
                optimizer.step()  #! =
                for w, p in zip(wide, net.parameters()):
                    pass  #~ p.data.copy_(w.data)
            """,
    ),
    *marked(
        "updated_twice",
        head_in_the_lists_of_two_optimizers="""
            body, head = torch.nn.Linear(2, 4), torch.nn.Linear(4, 1)
            first = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=0.1)  #~ first = torch.optim.Adam(body.parameters(), lr=0.1)
            second = torch.optim.SGD(head.parameters(), lr=0.1)
            for _ in range(2):
                loss = head(torch.tanh(body(torch.ones(3, 2)))).square().mean()
                first.zero_grad()
                second.zero_grad()
                loss.backward()
                first.step()
                second.step()  #! =
            """,
        tied_weights_of_two_optimizers="""
            words, scores = torch.nn.Embedding(5, 3), torch.nn.Linear(3, 5, bias=False)
            scores.weight = words.weight
            optimizers = [torch.optim.SGD(each.parameters(), lr=0.1) for each in (words, scores)]  #~ optimizers = [torch.optim.SGD(words.parameters(), lr=0.1)]
            for _ in range(2):
                words.zero_grad()
                torch.nn.functional.cross_entropy(scores(words(torch.tensor([1, 2]))), torch.tensor([2, 3])).backward()
                for optimizer in optimizers:
                    optimizer.step()  #! =
            """,
    ),
    *marked(
        "stale_value",
        layer_drawn_anew_beside_its_moments="""
            net = torch.nn.Linear(3, 2)
            optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
            for step in range(4):
                if step == 2:
                    net.reset_parameters()  #! net.reset_parameters();;optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
                optimizer.zero_grad()
                net(torch.ones(3, 3)).square().mean().backward()
                optimizer.step()
            """,
        average_of_weights_before_their_step="""
            import copy
            net = torch.nn.Linear(3, 2)
            average = copy.deepcopy(net).requires_grad_(False)
            optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
            for step in range(3):
                optimizer.zero_grad()
                net(torch.ones(3, 3)).square().mean().backward()
                pass  #~ optimizer.step()
                with torch.no_grad():
                    for slow, fast in zip(average.parameters(), net.parameters()):
                        slow.mul_(0.9).add_(fast, alpha=0.1)  #! =
                optimizer.step()  #~
            """,
    ),
    *marked(
        "ascent",
        gradients_that_are_added="""
            net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
            x, y = torch.randn(4, 2), torch.randn(4, 1)
            for _ in range(4):
                loss = torch.nn.functional.mse_loss(net(x), y)
                net.zero_grad()
                loss.backward()
                with torch.no_grad():
                    for p in net.parameters():
                        p += 0.1 * p.grad  #! p -= 0.1 * p.grad
            """,
    ),
    *marked(
        "decays_scale",
        one_decay_for_all="""
            net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.LayerNorm(4), torch.nn.Linear(4, 1))
            groups = [{"params": net.parameters(), "weight_decay": 0.1}]  #~ groups = [{"params": [p for p in net.parameters() if p.ndim > 1], "weight_decay": 0.1}, {"params": [p for p in net.parameters() if p.ndim < 2], "weight_decay": 0.0}]
            optimizer = torch.optim.AdamW(groups, lr=0.01)
            for _ in range(2):
                optimizer.zero_grad()
                net(torch.randn(3, 3)).square().mean().backward()
                optimizer.step()  #! =
            """,
    ),
]

HEALTHY = {
    "a_step_of_what_the_program_divides_itself": """
        net, scaler = torch.nn.Linear(2, 1), torch.amp.GradScaler("cpu", init_scale=1024.0)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            scaler.scale(net(torch.ones(3, 2)).square().mean()).backward()
            for each in net.parameters():
                each.grad /= scaler.get_scale()
            optimizer.step()
        """,
    "a_step_past_a_scaler_that_is_off": """
        net, scaler = torch.nn.Linear(2, 1), torch.amp.GradScaler("cpu", enabled=False)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        scaler.scale(net(torch.ones(3, 2)).square().mean()).backward()
        optimizer.step()
        """,
    "a_loss_that_the_program_scales": """
        class Weighted:
            def scale(self, loss):
                return loss * 100.0
        net, weighted = torch.nn.Linear(2, 1), Weighted()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.001)
        weighted.scale(net(torch.ones(3, 2)).square().mean()).backward()
        optimizer.step()
        """,
    "a_copy_that_is_optimized_within_bounds": """
        content = torch.rand(2, 3)
        image = content.clone().requires_grad_()
        optimizer = torch.optim.LBFGS([image], max_iter=2)
        def closure():
            with torch.no_grad():
                image.clamp_(0.0, 1.0)
            optimizer.zero_grad()
            loss = (image - 0.5 * content).square().sum()
            loss.backward()
            return loss
        optimizer.step(closure)
        """,
    "a_norm_that_is_looked_at_behind_the_step": """
        net = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(2):
            net(torch.ones(3, 2)).square().mean().backward()
            optimizer.step()
            norm = torch.nn.utils.clip_grad_norm_(net.parameters(), float("inf"))
            optimizer.zero_grad()
        """,
    "what_is_frozen_is_clipped_too": """
        body, head = torch.nn.Linear(2, 2).requires_grad_(False), torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            head(body(torch.ones(3, 2))).square().mean().backward()
            torch.nn.utils.clip_grad_norm_(head.parameters(), 0.1)
            torch.nn.utils.clip_grad_norm_(body.parameters(), 0.1)
            optimizer.step()
        """,
    "several_optimizers_each_with_its_own_clip": """
        player, critic = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
        ours, theirs = (torch.optim.Adam(each.parameters(), lr=0.1) for each in (player, critic))
        for _ in range(2):
            theirs.zero_grad()
            critic(player(torch.ones(3, 2)).detach()).square().mean().backward()
            torch.nn.utils.clip_grad_norm_(critic.parameters(), 0.1)
            theirs.step()
            ours.zero_grad()
            (-critic(player(torch.ones(3, 2))).mean()).backward()
            torch.nn.utils.clip_grad_norm_(player.parameters(), 0.1)
            ours.step()
        """,
    "sum_of_micro_batches_divided_before_the_step": """
        net = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            for part in torch.randn(8, 2).split(2):
                net(part).square().mean().backward()
            for p in net.parameters():
                p.grad.div_(4)
            torch.nn.utils.clip_grad_norm_(net.parameters(), 0.1)
            optimizer.step()
        """,
    "shares_of_unequal_micro_batches": """
        net = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for part in torch.randn(8, 2).split([5, 3]):
            (net(part).square().mean() * (len(part) / 8)).backward()
        optimizer.step()
        """,
    "last_group_of_micro_batches_is_short": """
        net = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for part in torch.randn(4, 2).split(2):
            (net(part).square().mean() / 4).backward()
        optimizer.step()
        """,
    "terms_of_a_loss_sent_back_one_by_one": """
        net = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            net(torch.randn(4, 2)).square().mean().backward()
            net.weight.abs().mean().backward()
            optimizer.step()
        """,
    "schedule_that_begins_with_zero": """
        net = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: step / 100)
        for _ in range(2):
            optimizer.zero_grad()
            net(torch.ones(3, 2)).square().mean().backward()
            optimizer.step()
            schedule.step()
        """,
    "weights_of_few_bits_that_move": """
        net = torch.nn.Linear(8, 4).to(torch.bfloat16)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
        for _ in range(2):
            optimizer.zero_grad()
            net(torch.ones(3, 8, dtype=torch.bfloat16)).float().square().sum().backward()
            optimizer.step()
        """,
    "two_optimizers_with_a_pass_each": """
        net = torch.nn.Linear(2, 1)
        optimizers = [torch.optim.SGD(net.parameters(), lr=rate) for rate in (0.1, 0.01)]
        for step in range(4):
            optimizer = optimizers[step % 2]
            optimizer.zero_grad()
            net(torch.ones(3, 2)).square().mean().backward()
            optimizer.step()
        """,
    "weights_kept_before_the_step_and_taken_back": """
        net = torch.nn.Linear(2, 1)
        kept = [p.detach().clone() for p in net.parameters()]
        optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            net(torch.ones(3, 2)).square().mean().backward()
            with torch.no_grad():
                for old, p in zip(kept, net.parameters()):
                    old.copy_(p)
            optimizer.step()
        with torch.no_grad():
            for old, p in zip(kept, net.parameters()):
                p.copy_(old)
        """,
    "a_row_of_weights_set_to_zero": """
        net = torch.nn.Embedding(4, 3)
        optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            net(torch.tensor([1, 2])).square().mean().backward()
            optimizer.step()
            with torch.no_grad():
                net.weight[0].zero_()
        """,
    "decay_that_nobody_asked_for": """
        net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.LayerNorm(4), torch.nn.Linear(4, 1))
        optimizer = torch.optim.AdamW(net.parameters(), lr=0.01)
        for _ in range(2):
            optimizer.zero_grad()
            net(torch.randn(3, 3)).square().mean().backward()
            optimizer.step()
        """,
    "penalty_added_to_gradients": """
        net = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            net(torch.randn(4, 2)).square().mean().backward()
            with torch.no_grad():
                for p in net.parameters():
                    p.grad.add_(p, alpha=0.01)
            optimizer.step()
        """,
}
"""Programs that do nearly the same, and hear nothing of it, not even a hint."""
