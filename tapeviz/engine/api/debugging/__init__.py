"""Functions that check: `assertions`, of values; `requiring`, of one tensor's rank, shape and dtype."""
