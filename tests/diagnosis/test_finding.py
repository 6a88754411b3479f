"""What findings look like: in a terminal, in a notebook, one by one and together."""

from __future__ import annotations

from dataclasses import replace

import pytest

import tapeviz as tf
from tapeviz.diagnosis import Finding, Findings
from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.diagnosis.finding import Coverage
from tapeviz.events import Site
from tapeviz.phrases import listed
from tapeviz.source.edits import Edit, TextChange
from tests.diagnosis.programs import run
from tests.engine.names import nn
from tests.markup.balanced import read


def finding(
    message: str = "`h` is cut.", *, source: int = 1, text: str = "h = f(x)", severity: str = "error"
) -> Finding:
    site = Site("/home/me/train.py", 12, 12, 4, 12, "step", text)
    return Finding("left_to_numpy", "none", severity, source, 2, site, message, "Use `tf.tanh`.", (3,), "A title")  # type: ignore[arg-type]


def test_a_finding_in_a_terminal() -> None:
    assert str(finding()).splitlines() == [
        "error: A title [left_to_numpy]",
        "  train.py, line 12:  h = f(x)",
        "  `h` is cut.",
        "  Fix: Use `tf.tanh`.",
    ]


PROGRAM = ("import tapeviz as tf\n", "def f(x):\n", "    h = g(x)\n", "    return h\n")


@pytest.mark.parametrize(
    ("change", "fix", "shown"),
    [
        (TextChange((3, 8), (3, 12), "tf.tanh(x)"), "Stay.", ["3 - h = g(x)", "3 + h = tf.tanh(x)"]),
        (TextChange((3, 8), (3, 12), "tf.tanh(x)"), "Write `h = tf.tanh(x)`.", []),
        (TextChange((3, 8), (3, 12), "tf.tanh(x)"), "Use `tf.tanh`.", ["3 - h = g(x)", "3 + h = tf.tanh(x)"]),
        (TextChange((3, 0), (4, 0), ""), "Leave it out.", ["3 - h = g(x)"]),
        (TextChange((4, 0), (4, 0), "    if h:\n        a()\n"), "Ask.", ["4 + if h:", "5 +     a()"]),
        (TextChange((1, 0), (5, 0), "x = 1\ny = 2\n"), "Do without.", []),
    ],
    ids=["changed", "said", "said in part", "gone", "indented", "many"],
)
def test_the_lines_that_change_are_shown_where_the_fix_does_not_say_them(
    change: TextChange, fix: str, shown: list[str]
) -> None:
    told = replace(finding(), fix=fix, edit=Edit("train.py", (change,), PROGRAM))
    assert str(told).splitlines()[3:] == [f"  Fix: {fix}", *(f"    {each}" for each in shown)]
    assert all(each in read(told._repr_html_()).text for each in shown)


def test_of_several_sources_all_lines_that_change_are_shown() -> None:
    edits = [Edit("train.py", (TextChange((line, 4), (line, 5), "k"),), PROGRAM) for line in (3, 3, 4)]
    many = [replace(finding(source=number), edit=edit) for number, edit in enumerate(edits)]
    assert [each.strip()[0] for each in str(Findings(many, {})).splitlines()[-4:]] == ["3", "4", "3", "4"]


@pytest.mark.parametrize("severity", ["error", "warning", "hint"])
def test_a_card_says_its_severity_in_words(severity: str) -> None:
    page = read(finding(severity=severity)._repr_html_())
    assert severity in page.text
    assert "train.py, line 12" in page.text
    assert page.tags.isdisjoint({"script", "style", "link"})


def test_a_card_escapes_what_the_user_wrote() -> None:
    html = finding("`</script><b>` is cut.", text="h = '<img src=x onerror=alert(1)>'")._repr_html_()
    assert "<img" not in html
    assert "</script>" not in html
    assert "</script><b>" in read(html).text


def test_a_card_is_small_whatever_is_in_it() -> None:
    long = "x" * 50_000
    many = Findings([finding(long, source=each, text=long) for each in range(500)], {})
    assert len(many._repr_html_()) < 10_000


def test_findings_of_one_line_are_shown_together() -> None:
    many = Findings([finding(source=each) for each in (1, 4, 5)], {1: "`a`", 4: "`b`", 5: "`c`"})
    assert len(many) == 3
    assert str(many).count("Fix:") == 1
    assert "The same holds for `b` and `c`." in str(many)
    assert "The same holds for b and c." in read(many._repr_html_()).text


def test_findings_of_many_lines_are_bounded_in_a_notebook() -> None:
    sites = [Site("a.py", line, line, 0, 1, "f", "x") for line in range(1, 40)]
    many = Findings([Finding("not_watched", "none", "error", 1, 2, site, "m", "f", (), "t") for site in sites], {})
    assert "and 27 more" in read(many._repr_html_()).text


def test_no_findings_say_what_was_checked() -> None:
    nothing = Findings([], {}, Coverage("2 gradient calls", "the numbers of 1 gradient"))
    said = "Nothing found. Checked: 2 gradient calls. Could not check: the numbers of 1 gradient."
    assert str(nothing) == said
    assert read(nothing._repr_html_()).text == said


def test_a_none_without_a_reason_is_confessed() -> None:
    told = "No gradient of `y` arrives at `x`; the log does not show why."
    coverage = Coverage("1 gradient call", unexplained="no gradient of `y` arrives at `x`")
    assert str(Findings([], {}, coverage)) == f"{told} Nothing else found. Checked: 1 gradient call."
    site = Site("a.py", 1, 1, 0, 1, "f", "x")
    other = Finding("not_watched", "none", "error", 1, 2, site, "m", "f", (), "t")
    assert str(Findings([other], {}, coverage)).endswith(f"\n\n{told}")


def test_unkept_numbers_are_confessed() -> None:
    x = tf.Variable([1.0, 2.0])
    with tf.record(values="none") as log:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x * x)
        tape.gradient(y, x)
    assert "Could not check: the numbers of 1 gradient" in str(diagnose(log))


def test_a_list_of_names_ends_in_and() -> None:
    assert listed(["a"]) == "a"
    assert listed([str(each) for each in range(9)]) == "0, 1, 2, 3, 4, 5 and 3 more"


def test_worst_comes_first() -> None:
    text = "w = tf.Variable([3.0, 4.0])\nv = tf.Variable(1.0)\nsize = tf.norm(w)\nwith tf.GradientTape() as tape:\n"
    text += "    loss = tf.reduce_sum(w / size)\ntape.gradient(loss, [w, v])\n"
    assert [each.severity for each in diagnose(run(text, tf))] == ["error", "hint"]


def test_parts_that_cancel_in_one_op_are_no_gradient_that_vanishes() -> None:
    query, bias = tf.Variable([[0.3, -0.2]]), tf.Variable([0.1, 0.2])
    words = tf.constant([[1.0, 2.0], [-0.5, 0.3], [0.2, -1.0]])
    with tf.GradientTape() as tape:
        state = query
        for _ in range(6):
            weights = nn.softmax(state @ tf.transpose(words + bias))  # every score gets the same from the bias
            state = state + weights @ words
        loss = tf.reduce_sum(state)
    gradient = tape.gradient(loss, [query, bias])[1]
    assert 0 < float(tf.norm(gradient)) < 1e-5
    assert [each.cause for each in diagnose(tape.log)] == []


def test_a_first_state_of_zeros_is_no_gradient_that_vanishes() -> None:
    w = tf.Variable([[1.1]])
    with tf.GradientTape() as tape:
        state = tf.zeros((1, 1))
        for _ in range(20):
            state = 0.1 + state @ w
        loss = tf.reduce_sum(state)
    tape.gradient(loss, w)
    assert [each.cause for each in diagnose(tape.log)] == []


def test_neither_is_it_where_a_gate_of_several_lines_multiplies_it() -> None:
    bias = tf.Variable([-0.15])
    with tf.GradientTape() as tape:
        state = tf.zeros([1])
        for _ in range(20):
            gate = bias + 1.0
            forget = tf.sigmoid(gate)
            state = forget * state + 0.1
        loss = tf.reduce_sum(state)
    tape.gradient(loss, bias)
    assert [each.cause for each in diagnose(tape.log)] == []


def test_what_holds_for_one_source_for_another_reason_is_told_apart() -> None:
    x, w1, w2 = tf.constant([[1.0, 2.0]]), tf.Variable(tf.zeros([2, 3])), tf.Variable(tf.zeros([3, 1]))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.tanh(x @ w1) @ w2 - 1.0)
    tape.gradient(loss, [w1, w2])
    findings = diagnose(tape)
    assert [len(each) for each in findings.groups()] == [1, 1]
    assert "by `w2`, which is zero" in findings[0].message
    assert "by a factor that `w1`, zero in every element, makes zero" in findings[1].message
