"""Functions that draw random numbers: `distributions`, `generator`; both draw by `sampling`; `initializers` by them."""
