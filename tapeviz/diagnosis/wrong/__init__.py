"""GradientCall -> Findings: gradients that arrive with sound numbers, and are not those that were meant.

`silent` asks them all but the last two:

- `partial`    terms of the target are missing
- `drawn`      a sample lets no gradient pass to what it was drawn from
- `shapes`     shapes were broadcast, or summed over
- `constants`  targets and advantages are differentiated, too
- `logits`     a softmax comes twice, or a logarithm is missing
- `axes`       a softmax goes along another axis than its loss
- `stepped`    a step leaves only what comes by its scale
- `second_order`  a derivative of a derivative lacks what a gradient function of the user's cut off
- `conjugate`  by complex numbers, JAX gives the conjugate of the way up
- `unseen`     a result was written over where autograd does not look
- `witnessed`  a gradient function of the user's gives another gradient than the framework has; it is asked by itself
- `clipped`    a clip holds the gradient of the worst predictions back; it is asked with the numbers of a run
"""
