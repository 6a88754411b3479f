"""A tiny BERT with random weights, its first token classified."""

import torch
from transformers import BertConfig, BertModel

REQUIRES = ["transformers", "torch"]

torch.manual_seed(0)
config = BertConfig(vocab_size=19, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16)
bert = BertModel(config, add_pooling_layer=False).eval()
classifier = torch.nn.Linear(8, 3)  #: layer
tokens = torch.randint(1, 19, (4, 6))
labels = torch.tensor([0, 2, 1, 0])
output = bert(tokens)
first = output.last_hidden_state[:, 0]  #: hidden
features = torch.tanh(first)  #: hidden
logits = classifier(features)  #: logits hidden
loss = torch.nn.functional.cross_entropy(logits, labels)  #: loss
loss.backward()  #: backward
gradients = {"words": bert.embeddings.word_embeddings.weight.grad, "classifier": classifier.weight.grad}
