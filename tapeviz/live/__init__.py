"""A running program -> what only it can show: checked gradients, sliders on its inputs, training over time."""
