"""Graph -> Findings about what optimizers make of gradients: whether a step is what the gradients ask for.

- gradients  `micro_batches`, whose sum is no mean; `clipping`, of what is still scaled, or by the norm of others;
             `clip_order`, before the pass or after the step; `scaled`, that no scaler has divided;
             `gradients`, what both know of them: whose they are, and what is done to them in place; `sums`, the same
             where a program computes with gradients as with any tensors; `losses`, of which passes they are
- steps      `lost`, which change nothing, or a copy that nobody reads; `twice`, of one gradient; `decay`, of what
             should keep its size; `ascent`, which make the error larger
- copies     `moments`, of weights that were since drawn anew; `averages`, of weights before their step
"""
