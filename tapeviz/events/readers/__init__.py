"""Raw records -> the typed events of a log, and the tables that events point into.

- `fold`       reads all records in order, each by the reader of its kind
- readers      `program`, of ops, leaves, reads and writes; `tape`, of tapes; `backward`, of backward passes and
               optimizers; `base`, what they share
- `tables`     tensors, sites and scopes, each with a dense id
"""
