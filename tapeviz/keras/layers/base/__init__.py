"""The class of all layers, and those between it and the layers.

- the class    `layer`; `placed`, on placeholders; `ownership` of weights and layers, with `tracking` of its attributes;
               `input_specs`, what it asks for, and `output_specs`, what it gives; `passing`, what an `__init__` passes
               on to the one above; `auto_config`, and `remade` of a config; `call_errors`
- between      `composite`, of layers that hold others; `weighted`, of those with a kernel
"""
