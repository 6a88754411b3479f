"""An autoencoder whose codes vector-quantize-pytorch rounds to those of a codebook, which follows them by averages."""

import torch
from vector_quantize_pytorch import VectorQuantize

REQUIRES = ["vector-quantize-pytorch", "torch"]

torch.manual_seed(0)
x = torch.randn(8, 10, 6)  #: data
encoder, decoder = torch.nn.Linear(6, 4), torch.nn.Linear(4, 6)
quantizer = VectorQuantize(dim=4, codebook_size=8, decay=0.8, commitment_weight=1.0)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=0.01)
for _ in range(2):
    optimizer.zero_grad()
    code = encoder(x)  #: hidden
    quantized, indices, commitment = quantizer(code)
    restored = decoder(quantized)  #: hidden
    loss = (restored - x).pow(2).mean() + commitment.sum()  #: loss
    loss.backward()  #: backward
    optimizer.step()
gradients = {"encoder": encoder.weight.grad, "decoder": decoder.weight.grad}
