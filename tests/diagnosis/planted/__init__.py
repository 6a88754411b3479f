"""Healthy programs, and faults that are planted into them: what a diagnosis says of each pair.

`python -m tests.diagnosis.planted --half even` prints how many of that half's faults are
named, per fault and per library.

- `healthy`     the folder `programs` -> programs, with the statements that may be changed
- `faults`      the rows: what a fault changes, which cause and line are right, and what the framework must show of it
- `planting`    programs and faults -> pairs, no fault in more than 40 and no program in more than 30
- `symptoms`    the gradients of a healthy and of a faulty run -> what the framework shows
- `running`     a program -> its gradients, and the findings of its recording
- `scoring`     a pair, run -> named, found, missed, or no fault here
- `workers`     pairs -> what came of them, in processes of their own

A statement that may be changed bears its role as a comment, `h = net(x)  #: hidden`, which is cut off before it runs:

    data, target    what the program is given, and what it is to give
    weight          the assignment of a leaf that is trained
    layer           the assignment of a layer that is trained
    hidden          the assignment of float numbers through which alone some gradient passes
    logits          the same, of what a loss with logits is given
    loss            the assignment of the target
    backward        where gradients are asked for

What a program leaves as `gradients` is compared. Rules are written against the half `even`; `names.txt` says which
fault is in which half, by the SHA-256 of its name.
"""
