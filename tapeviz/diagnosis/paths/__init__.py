"""Graph -> the paths of a value to a target, and of a gradient back.

- of a gradient  `arriving`, all of them from the targets to one source; `longest`, that of one run to each tensor;
                 `dominators`, the op at which all of them meet first
- of a value     `trail`, to the targets with the fewest cuts, and the `decisive` one of them; `views`, what is behind
                 them; `stops`, where it is held back on purpose
- of a loss      `shares`, what makes probabilities, and what takes numbers for logits
- of many        `chains`, each followed once, however many tensors begin on it
"""
