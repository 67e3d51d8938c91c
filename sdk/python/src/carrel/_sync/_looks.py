"""What is asked for until it is so."""

from __future__ import annotations

from typing import Awaitable, Callable, TypeVar

from ._platform import sleep

FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 2.0

T = TypeVar("T")


def looked(look: Callable[[], T], is_so: Callable[[T], bool]) -> T:
    """Looks again and again, ever less often, until it is so."""
    pause = FIRST_PAUSE_SECONDS
    while True:
        found = look()
        if is_so(found):
            return found
        sleep(pause)
        pause = min(LONGEST_PAUSE_SECONDS, pause * 1.5)
