"""What the users of one framework call things: the words that rules ask for while they write a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tapeviz.diagnosis.causes import CAUSES, Cause
from tapeviz.diagnosis.dialects.phrases import WITH_ZEROS, Phrase
from tapeviz.diagnosis.dialects.spelling import respelled
from tapeviz.phrases import quoted, unquoted

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

AS_NUMPY = {
    **SIGNS,
    **{f"a{each}": f"arc{each}" for each in ("cos", "cosh", "sin", "sinh", "tan", "tan2", "tanh")},
    "clip_by_value": "clip",
    "concat": "concatenate",
    "standard_deviation": "std",
    "variance": "var",
    **{f"reduce_{each}": each for each in ("all", "any", "logsumexp", "max", "mean", "min", "prod", "sum")},
}
"""The names of ops in libraries that name them as NumPy does."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The words of one framework, or of one tape of a program of its.

    Attributes:
        phrases: what is said for each phrase, with places to fill in.
        functions: what it writes for TensorFlow's functions.
        ops: what it calls an op whose name in a log its users do not know.
        causes: those that it tells otherwise than TensorFlow.
        library: what its functions begin with.
        libraries: the same with those of its modules that have names of their own.
        tape: what the program calls its tape.
        package: the folder of a library whose functions are the user's own words; "" for none.
    """

    phrases: Mapping[Phrase, str]
    functions: Mapping[str, str] = field(default_factory=dict)
    ops: Mapping[str, str] = field(default_factory=dict)
    causes: Mapping[str, Cause] = field(default_factory=dict)
    library: str = "tf."
    libraries: tuple[str, ...] = ("tf.", "tensorflow.")
    tape: str = "tape"
    package: str = ""
    _causes_in_words: dict[str, Cause] = field(default_factory=dict, init=False, compare=False, repr=False)

    def say(self, phrase: Phrase, **places: str) -> str:
        """A phrase, with what a rule puts into its places."""
        return self.phrases[phrase].format(tape=self.tape, **places)

    def op(self, name: str) -> str:
        """What an op is called."""
        return self.ops.get(name, name)

    def code(self, text: str) -> str:
        """A sentence of a rule's own, its code written with the functions of this framework."""
        return respelled(text, self.functions, self.library) if self.functions else text

    def expression(self, code: str) -> str:
        """One expression of a rule's own, written with the functions of this framework."""
        return unquoted(self.code(quoted(code)))

    def title(self, label: str) -> str:
        """The cause with a label in a few words."""
        return self.causes.get(label, CAUSES[label]).title

    def cause(self, label: str) -> Cause:
        """What is true of every finding with a label."""
        if label not in self._causes_in_words:
            told = self.causes.get(label, CAUSES[label])
            self._causes_in_words[label] = replace(
                told, explanation=self.code(told.explanation), fix=self.code(told.fix)
            )
        return self._causes_in_words[label]

    def of_tape(self, name: str | None) -> Dialect:
        """The same of a tape that its program calls by a name."""
        return self if name is None else replace(self, tape=name)

    def with_zeros(self) -> Dialect:
        """The same where a call gave zeros for None, as it was asked to."""
        return replace(self, phrases={**self.phrases, **WITH_ZEROS})
