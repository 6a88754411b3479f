"""Faulty programs -> whether the patches of their findings heal them.

- `programs`   those of the pages in `docs/causes`, and cases of others' in a folder
- `running`    a program's text -> its findings, by `tapeviz run --json` or in this process, and its gradients
- `healing`    patches applied and the program run again, as its author would
- `__main__`   `python -m tests.diagnosis.fixes`, which prints what became of each
"""
