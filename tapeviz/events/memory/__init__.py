"""Raw records of a running program -> those that a log still holds, in bounded memory.

- `records`    the records of one log: values within a `budget` of bytes, older records as `packed_records`, by
               `packing`
- `deferred`   records that are computed when a reader asks for them
- `settling`   the statistics that stay of a pass's values where a log is to keep no more
- `steps`      the last steps of a loop without end; `retained`, what stays of the steps that are dropped
- `ring`       the flight recorder: the last records from outside every recording
"""
