"""The framework of a log -> how it works, as facts: readers ask for a fact, never for the name of the framework."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Customs:
    """The facts about one framework; the defaults are for an unknown one.

    Attributes:
        framework: what it is called.
        recording: what its users call what one tape records.
        records_always: everything is recorded unless that is switched off; the others record within a block.
        swaps_operands: the first operand of a commutative op may have been written second.
        refuses: a gradient call that comes to an op without a gradient is an error.
        brings_ops: an op without a row in the catalog may be the framework's, and need not be the user's.
        unit_rows: of a run with rows each begins at one element of the target, with a seed of 1.0 there; elsewhere a
            program may say with what.
        runs_again: its ops can run again as they ran, those of its users too.
        defops: users make ops for it, by `defop`.
        lasting_ids: its raw ids are the tensors' own, from log to log.
        wants_scalar: its own gradient call takes one number as its target, and nothing else.
        calls_outermost: the recorder itself calls the function whose ops it records.
        logs_inner_calls: a gradient call within what another one differentiates is in its log, too.
        wants_reals: it takes no source that is not made of real or complex numbers, used or not.
        halves_ties: where the two operands of a maximum or a minimum are equal, each gets half of the gradient;
            elsewhere the first gets all of it.
        checks: what checks the gradient of a user's own function, called `{name}`.
    """

    framework: str = "another framework"
    recording: str = "tape"
    records_always: bool = False
    swaps_operands: bool = False
    refuses: bool = False
    brings_ops: bool = False
    unit_rows: bool = False
    runs_again: bool = False
    defops: bool = False
    lasting_ids: bool = False
    wants_scalar: bool = False
    calls_outermost: bool = False
    logs_inner_calls: bool = True
    wants_reals: bool = False
    halves_ties: bool = False
    checks: str = "finite differences"


UNKNOWN = Customs()
CUSTOMS = {
    "tapeviz": Customs(
        framework="tapeviz",
        refuses=True,
        unit_rows=True,
        runs_again=True,
        defops=True,
        lasting_ids=True,
        checks="tv.check_gradients({name}, x)",
    ),
    "tensorflow": Customs(
        framework="TensorFlow",
        refuses=True,
        unit_rows=True,
        checks="tf.test.compute_gradient({name}, [x])",
    ),
    "torch": Customs(
        framework="PyTorch",
        recording="graph",
        records_always=True,
        swaps_operands=True,
        brings_ops=True,
        halves_ties=True,
        checks="torch.autograd.gradcheck({name}.apply, x.double())",
    ),
    "jax": Customs(
        framework="JAX",
        recording="function",
        wants_scalar=True,
        calls_outermost=True,
        logs_inner_calls=False,
        wants_reals=True,
        halves_ties=True,
        checks="jax.test_util.check_grads({name}, (x,), order=1)",
    ),
}
