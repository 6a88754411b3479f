"""What the users of one framework call things: the words that rules ask for while they write a sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tapeviz.diagnosis.causes import CAUSES, Cause
from tapeviz.diagnosis.dialects.spelling import respelled

SIGNS = {
    "equal": "==",
    "floordiv": "//",
    "greater": ">",
    "greater_equal": ">=",
    "less": "<",
    "less_equal": "<=",
    "not_equal": "!=",
}
"""The ops that are written as signs where their functions go by other names than TensorFlow's."""


TAPE = "tape"
"""What code that nobody wrote calls a tape."""
OF_THE_TAPE = ("watch", "watch_it", "watch_nameless", "gradient_call")
"""The words that are such code."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The words of one framework; where it has none of its own, TensorFlow's, which are the engine's, too.

    Code stands in backticks; `{name}`, `{target}` and `{source}` are filled in by the rule.

    Attributes:
        functions: what it writes for TensorFlow's functions.
        ops: what it calls an op whose name in a log its users do not know.
        causes: those that it tells otherwise than TensorFlow.
        library: what its functions begin with.
        libraries: the same with those of its modules that have names of their own.
        tape: what records, and gives the gradients.
        tensor: what a tensor is called.
        variable: what a variable is called.
        constant: what a leaf is called that is no variable.
        leaf_is: what became of a leaf, before its place.
        in_the_block: where a target is to be computed, after a space.
        block: where else what began before the recording belongs.
        gets_none: what is said of a source to which no gradient leads.
        none: the same, of what the program sees there.
        no_integers: what comes of an integer source.
        or_leave_it_out: what else to do with a source that takes no part, called `it`, or `its` before what it has.
        or_leave_part_out: the same of an entry of an argument, where that is differentiated as a whole.
        out_of_sources: where a source is no longer, if it is left out.
        read_as_zero: what to do about a gradient that is zero by nature.
        unfollowed: what is true of a plain tensor, after "that".
        trainable: the argument that says whether a variable is to learn.
        watch: how a tensor is followed that has a name.
        watch_it: the same of "it".
        watch_where: where that stands.
        watch_nameless: what to do with a tensor that has no name.
        is_watched: what a watch does, before its place.
        not_recorded: what a watch comes too late for.
        parameter: what is followed by itself.
        assign: how a variable is given a value.
        assign_sub: how a variable is changed in place.
        in_place: how a variable is changed by an operator's `line`, if it can be.
        run_again: what to do after a variable was made anew.
        kept_by_model: how a model comes to know a variable.
        made_once: where a layer makes it.
        forward: the method of a layer that is called.
        gradient_call: how a gradient is asked for.
        first_order: what was wrong with a gradient that cannot be differentiated again.
        record_first: what to do about it.
        nothing_followed: that a gradient can begin nowhere.
        hold: how a gradient is held back, before what is held.
        off: that nothing is recorded, in a picture.
        unwatched: that a tensor is not followed, in a picture.
        reads_unwatched: why an op is not followed.
    """

    functions: Mapping[str, str] = field(default_factory=dict)
    ops: Mapping[str, str] = field(default_factory=dict)
    causes: Mapping[str, Cause] = field(default_factory=dict)
    library: str = "tf."
    libraries: tuple[str, ...] = ("tf.", "tensorflow.")
    tape: str = "the tape"
    tensor: str = "tensor"
    variable: str = "variable"
    constant: str = "constant"
    leaf_is: str = "made"
    in_the_block: str = " inside the tape's block"
    block: str = "the tape's `with` block"
    gets_none: str = "gets None"
    none: str = "the gradient is None"
    no_integers: str = "no gradient passes an integer tensor: it gets None"
    or_leave_it_out: str = ', leave {it} out of the sources, or pass `unconnected_gradients="zero"`'
    or_leave_part_out: str = ""
    out_of_sources: str = "out of the sources"
    read_as_zero: str = 'Read None as zero, or pass `unconnected_gradients="zero"`.'
    unfollowed: str = "nothing asked the tape to follow"
    trainable: str = "trainable"
    watch: str = "`tape.watch({name})`"
    watch_it: str = "`tape.watch(...)` on it"
    watch_where: str = "at the top of the tape's block"
    watch_nameless: str = "Give it a name and call `tape.watch(...)` on it at the top of the tape's block."
    is_watched: str = "is watched"
    not_recorded: str = "the ops before the watch were not recorded"
    parameter: str = "`tf.Variable`"
    assign: str = "`{name}.assign(...)`"
    assign_sub: str = "`{name}.assign_sub(step)`"
    in_place: str = ""
    run_again: str = "Run the tape's block again"
    kept_by_model: str = "as an attribute of a `tf.Module`, or by `add_weight` in a layer of Keras"
    made_once: str = "in `__init__`, or with `add_weight` in `build`"
    forward: str = "call"
    gradient_call: str = "`tape.gradient({target}, {source})`"
    first_order: str = "was not recorded by the tape that is to differentiate it again: for that tape it is a number"
    record_first: str = "Move that call of `gradient` into the `with` block of the tape that is to differentiate it."
    nothing_followed: str = "No tape followed anything"
    hold: str = "take `tf.stop_gradient` of"
    off: str = "recording paused"
    unwatched: str = "not watched"
    reads_unwatched: str = "nothing it reads is watched"

    def op(self, name: str) -> str:
        """What an op is called."""
        return self.ops.get(name, name)

    def whole(self, source: str) -> str | None:
        """The argument that a source is an entry of, by its name, where arguments are differentiated as a whole."""
        found = re.match(r"`(\w+)[.\[]", source) if self.or_leave_part_out else None
        return None if found is None else found[1]

    def or_leaving(self, source: str, it: str = "it") -> str:
        """What else to do with a source that takes no part, by its name; `it` is what to call it there."""
        whole, its = self.whole(source), "its" if it == "it" else f"{it}'s"
        left = self.or_leave_it_out if whole is None else self.or_leave_part_out
        return left.format(whole=whole, it=it, its=its)

    def code(self, text: str) -> str:
        """A sentence of a rule's own, its code written with the functions of this framework."""
        return respelled(text, self.functions, self.library) if self.functions else text

    def title(self, label: str) -> str:
        """The cause with a label in a few words."""
        return self.causes.get(label, CAUSES[label]).title

    def cause(self, label: str) -> Cause:
        """What is true of every finding with a label."""
        told = self.causes.get(label, CAUSES[label])
        return replace(told, explanation=self.code(told.explanation), fix=self.code(told.fix))

    def of_tape(self, name: str | None) -> Dialect:
        """The same of a tape that its program calls by another name."""
        if name is None or name == TAPE:
            return self
        own = {each: getattr(self, each).replace(f"`{TAPE}.", f"`{name}.") for each in OF_THE_TAPE}
        return replace(self, **own)

    def with_zeros(self) -> Dialect:
        """The same where a call gave zeros for None, as it was asked to."""
        return replace(
            self,
            gets_none="gets zeros in the place of None",
            none="the gradient is zeros",
            or_leave_it_out=", or leave {it} out of the sources",
            read_as_zero="Leave it so: zero is what the derivative is.",
        )
