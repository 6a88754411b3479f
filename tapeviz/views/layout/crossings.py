"""Places of the ends of segments -> how many of the segments cross."""

from __future__ import annotations

from bisect import bisect_right, insort


def crossings(fans: list[list[int]]) -> int:
    """Pairs of segments that cross, given where the segments of every vertex of a layer, left to right, end below.

    >>> crossings([[1], [0, 2], [1]])
    2
    """
    met: list[int] = []
    total = 0
    for ends in fans:
        for end in ends:
            total += len(met) - bisect_right(met, end)
        for end in ends:
            insort(met, end)
    return total


def inversions(left: list[int], right: list[int]) -> int:
    """Pairs (a of left, b of right) with a > b; both ascending.

    >>> inversions([1, 4], [0, 2, 9])
    3
    """
    if not left or not right or left[-1] <= right[0]:
        return 0
    total = smaller = 0
    for a in left:
        while smaller < len(right) and right[smaller] < a:
            smaller += 1
        total += smaller
    return total
