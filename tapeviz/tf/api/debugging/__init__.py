"""Functions that check: `assertions`, of values; `requiring`, of one tensor's rank and dtype; `shapes`, of several."""
