"""REINFORCE on a small batch of states, with a baseline."""

import torch

REQUIRES = ["torch"]

torch.manual_seed(0)
policy = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.Tanh(), torch.nn.Linear(16, 3))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
states = torch.randn(10, 4)  #: data
rewards = torch.randn(10)
logits = policy(states)  #: hidden
choice = torch.distributions.Categorical(logits=logits)
actions = choice.sample()
log_probability = choice.log_prob(actions)  #: hidden
advantage = rewards - rewards.mean()
loss = -(log_probability * advantage).mean()  #: loss
optimizer.zero_grad()
loss.backward()  #: backward
optimizer.step()
gradients = {name: weight.grad for name, weight in policy.named_parameters()}
