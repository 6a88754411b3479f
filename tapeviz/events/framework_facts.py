"""The framework of a log -> how it works, as facts: readers ask for a fact, never for the name of the framework."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FrameworkFacts:
    """The facts about one framework; the defaults are for an unknown one.

    Of its name and tools:
        framework: what it is called.
        checks: what checks the gradient of a user's own function, called `{name}`.
        checks_operator: the same of an operator that is registered by such a name, as `mine::cube`, here `{name}`.

    Of a recording:
        records_always: everything is recorded unless that is switched off; the others record within a block.
        calls_outermost: the recorder itself calls the function whose ops it records.
        logs_inner_calls: a gradient call within what another one differentiates is in its log, too.
        keeps_ids: its raw ids are the tensors' own, from log to log.

    Of ops and variables:
        has_ops_without_row: an op without a row in the catalog may be the framework's, and need not be the user's.
        has_defop: users make ops for it, by `defop`.
        reruns_ops: its ops can run again as they ran, those of its users too.
        swaps_operands: the first operand of a commutative op may have been written second.
        augments_in_place: an operator as in `w -= step` changes the variable itself, and makes no new tensor.
        shares_saved: what an op keeps for its gradient changes with the tensor that it is kept of.
        gives_zeros_compiled: what a compiled function reads for another one of its results than the target gets zeros
            by it, and None where it runs op by op.
        spares_zeros: ops whose derivative at zero is infinite, and that give zero there all the same for an upstream
            gradient of zero, as long as XLA does not compile them.
        computes_unseen: what its functions compute of plain numbers alone is not in its log, so that a number which was
            read out may come back as any other.
        halves_ties: where the two operands of a maximum or a minimum are equal, each gets half of the gradient;
            elsewhere the first gets all of it.

    Of gradient calls:
        takes_scalar_targets_only: its own gradient call takes one number as its target, and nothing else.
        takes_real_sources_only: it takes no source that is not made of real or complex numbers, used or not.
        differentiates_arguments: a gradient is that of a function by its arguments, each of them as a whole.
        gives_conjugates: a gradient by complex numbers is the conjugate of the direction in which a real target grows;
            elsewhere it is that.
        raises_without_gradient: one that comes to an op without a gradient is an error.
        computes_gradients_again: those in its log were computed after those of the program, from which they may differ
            by rounding.
        rows_begin_at_one: of a run with rows each begins at one element of the target, with a seed of 1.0 there;
            elsewhere a program may say with what.
    """

    framework: str = "another framework"
    checks: str = "finite differences"
    checks_operator: str = checks

    records_always: bool = False
    calls_outermost: bool = False
    logs_inner_calls: bool = True
    keeps_ids: bool = False

    has_ops_without_row: bool = False
    has_defop: bool = False
    reruns_ops: bool = False
    swaps_operands: bool = False
    augments_in_place: bool = False
    shares_saved: bool = False
    gives_zeros_compiled: bool = False
    spares_zeros: frozenset[str] = frozenset()
    computes_unseen: bool = False
    halves_ties: bool = False

    takes_scalar_targets_only: bool = False
    takes_real_sources_only: bool = False
    differentiates_arguments: bool = False
    gives_conjugates: bool = False
    raises_without_gradient: bool = False
    computes_gradients_again: bool = False
    rows_begin_at_one: bool = False


UNKNOWN = FrameworkFacts()
FRAMEWORK_FACTS = {
    "tapeviz": FrameworkFacts(
        framework="tapeviz",
        checks="tv.check_gradients({name}, x)",
        keeps_ids=True,
        has_defop=True,
        reruns_ops=True,
        raises_without_gradient=True,
        rows_begin_at_one=True,
    ),
    "tensorflow": FrameworkFacts(
        framework="TensorFlow",
        checks="tf.test.compute_gradient({name}, [x])",
        has_ops_without_row=True,
        spares_zeros=frozenset({"sqrt", "rsqrt", "reciprocal"}),
        raises_without_gradient=True,
        rows_begin_at_one=True,
    ),
    "torch": FrameworkFacts(
        framework="PyTorch",
        checks="torch.autograd.gradcheck({name}.apply, x.double())",
        checks_operator="torch.autograd.gradcheck(torch.ops.{name}, x.double())",
        records_always=True,
        has_ops_without_row=True,
        swaps_operands=True,
        augments_in_place=True,
        shares_saved=True,
        gives_zeros_compiled=True,
        halves_ties=True,
    ),
    "jax": FrameworkFacts(
        framework="JAX",
        checks="jax.test_util.check_grads({name}, (x,), order=1)",
        calls_outermost=True,
        logs_inner_calls=False,
        has_ops_without_row=True,
        halves_ties=True,
        takes_scalar_targets_only=True,
        takes_real_sources_only=True,
        differentiates_arguments=True,
        gives_conjugates=True,
        computes_gradients_again=True,
    ),
    "autograd": FrameworkFacts(
        framework="autograd",
        checks="autograd.test_util.check_grads({name})(x)",
        has_ops_without_row=True,
        computes_unseen=True,
        halves_ties=True,
        takes_scalar_targets_only=True,
        takes_real_sources_only=True,
        differentiates_arguments=True,
    ),
    "tinygrad": FrameworkFacts(
        framework="tinygrad",
        records_always=True,
        has_ops_without_row=True,
        halves_ties=True,
    ),
}
