"""The class of all layers, and base classes of several layers.

- the class    `layer`; `symbolic_calls`, on placeholders; `ownership` of weights and layers, and `tracking` of the
               attributes that hold them; `input_specs`, what it accepts, and `output_specs`, what it returns;
               `passing`, what an `__init__` passes on to the base class; `auto_config`, and `rebuilding` from a config;
               `call_errors`
- bases        `composite`, of layers that contain others; `weighted`, of those with a kernel
"""
