"""A running program -> what only it can show: checked gradients, sliders on its inputs, training over time.

- checks       `check_step`, a VJP beside finite differences: the `comparison` of each cotangent with a `slope`;
               `rerun`, the op on other inputs, with `stand_ins` for ops that only a framework has; `audit`, all VJPs,
               by what a `witness` has for each entry; `testing`, for functions of any framework
- sameness     `same`, two ways to a gradient; `foreign_arrays`, what any framework's arrays hold
- sliders      `explore`, with its `inputs`; `debug`, the page that asks the program
- modes        `modes`, forward beside reverse; `arguments`, what it and `explore` ask of a function
- programs     `watch`, a whole one, for its last steps and the first trouble; `surroundings`, where that learns of
               errors, cells and the end; `trainer_callback`, it for one training of a library, made for each by
               `keras_callback`, `lightning_callback` and `transformers_callback`
- training     `history`, of logs, or of `named_gradients`: a `column` for each variable, of what `measure` finds, each
               `trouble` in it; shown and kept by `history_table`, `history_plot` and `history_file`
- other tools  `export`, of a log or a history; `scalars`, the norms for whoever logs a training
"""
