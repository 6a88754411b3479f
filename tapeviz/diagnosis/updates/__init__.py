"""Graph -> Findings about what optimizers make of gradients: whether a step is what the gradients ask for.

- gradients  `micro_batches`, whose sum is no mean; `clipping`, of what is still scaled, or by the norm of others
- steps      `lost`, which change nothing; `twice`, of one gradient; `decay`, of what should keep its size
- copies     `moments`, of weights that were since replaced; `averages`, of weights before their step; `masters`, which
             nobody copies back
"""
