"""Ids of TensorFlow's tensors -> what is known of the latest ones, in bounded memory."""

from __future__ import annotations

from itertools import islice
from typing import TypeVar

MOST = 1 << 18
"""Entries that are kept; a tensor older than so many others is no longer used."""

About = TypeVar("About")


class Recent(dict[int, About]):
    """A dictionary that deletes the older half of its entries when there are too many.

    >>> numbers = Recent({number: number for number in range(MOST)})
    >>> numbers[-1] = 0
    >>> len(numbers) == MOST // 2 + 1, 0 in numbers, -1 in numbers
    (True, False, True)
    """

    def __setitem__(self, raw: int, about: About) -> None:
        super().__setitem__(raw, about)
        if len(self) > MOST:
            for old in list(islice(self, MOST // 2)):
                del self[old]
