"""A function of which TensorFlow builds a graph -> what a program sees of that, though the function's body runs.

- arguments    `signature`, what each parameter takes, told by `trace_types`; `concrete`, the function for one kind of
               arguments
- inside       `building`, what differs there; `open_length`, which it does not know; `apart`, what has its own graph;
               `creation`, variables that are made;
               `conditions`, what branches take; `branches`, what they leave; `choices`, those that are functions;
               `loops`, what they read; `loop_state`, what they change; `turns`, of what; `collecting`, what they put
               into lists; `jumps`, how they are left; `rewriting`, where these are met
- attempts     `attempts`, what a part of the program would do; `plain`, which may be tried
- errors       `user_code`, what their texts say of the user's lines; `open_signature`, when they are met
- results      `trial`, what they will look like, by trying out
"""
